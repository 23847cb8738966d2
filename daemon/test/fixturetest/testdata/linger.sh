# B-1: says its last event and never exits.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo done >> work.txt
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"usage":{"input_tokens":1,"output_tokens":1}}'
sleep 3600
