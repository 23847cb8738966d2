# B-53: a text of many bytes a letter, one byte at a time.
echo done >> work.txt
{
	echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
	echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
	echo '{"type":"result","subtype":"success","is_error":false,"result":"日本語 ✓ 😀","num_turns":1,"usage":{"input_tokens":7,"output_tokens":1}}'
} | dd bs=1 status=none
