# B-53: a byte order mark, and lines that end as on Windows.
echo done >> work.txt
printf '\357\273\277{"type":"system","subtype":"init","session_id":"s","model":"m"}\r\n'
printf '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}\r\n'
printf '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"usage":{"input_tokens":7,"output_tokens":1}}\r\n'
