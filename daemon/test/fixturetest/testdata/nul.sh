# B-53: NUL bytes between the lines and in a text.
echo done >> work.txt
printf '\000\000{"type":"system","subtype":"init","session_id":"s","model":"m"}\000\n\000\000\n'
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"a\u0000b","num_turns":1,"usage":{"input_tokens":7,"output_tokens":1}}'
