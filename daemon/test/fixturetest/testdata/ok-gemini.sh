# A turn of gemini that edits a file.
echo '{"type":"init","session_id":"g1","model":"gemini-test"}'
echo '{"type":"message","role":"user","content":"fix it"}'
echo '{"type":"tool_use","tool_name":"replace","tool_id":"t-1","parameters":{"file_path":"work.txt"}}'
echo done >> work.txt
echo '{"type":"tool_result","tool_id":"t-1","status":"success","output":"ok"}'
echo '{"type":"message","role":"assistant","content":"Done","delta":true}'
echo '{"type":"message","role":"assistant","content":".","delta":true}'
echo '{"type":"result","status":"success","stats":{"total_tokens":900,"input_tokens":700,"output_tokens":200,"cached":100,"input":600,"tool_calls":1}}'
