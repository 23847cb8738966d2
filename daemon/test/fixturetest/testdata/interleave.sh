# B-40: stderr in the middle of the lines of the stream, and two lines in one.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
printf 'warning: ' >&2
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
echo done >> work.txt
printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}'
echo 'noise behind it' >&2
printf '{"type":"system","subtype":"x"}{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"usage":{"input_tokens":7,"output_tokens":1}}\n'
