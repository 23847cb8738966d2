# B-28: one line of 200 MB between two ordinary ones.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"'
head -c 209715200 /dev/zero | tr '\0' 'x'
printf '"}]}}\n'
echo done >> work.txt
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"usage":{"input_tokens":7,"output_tokens":1}}'
