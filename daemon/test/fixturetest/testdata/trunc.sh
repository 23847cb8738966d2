# B-28: the stream ends in the middle of a line, and exit 0.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo done >> work.txt
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
printf '{"type":"result","subtype":"succ'
