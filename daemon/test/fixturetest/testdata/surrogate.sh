# B-53: an emoji of which a truncation left one half.
echo done >> work.txt
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"half \ud83d of \ud83d\ude00","num_turns":1,"usage":{"input_tokens":7,"output_tokens":1}}'
