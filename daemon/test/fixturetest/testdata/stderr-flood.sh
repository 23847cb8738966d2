# B-6: 64 MiB on stderr before the first line on stdout.
head -c 67108864 /dev/zero | tr '\0' 'e' >&2
echo >&2
echo done >> work.txt
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"usage":{"input_tokens":1,"output_tokens":1}}'
