# B-39: one tool with the same input, over and over, in one turn.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
i=0
while [ "$i" -lt 60 ]; do
	i=$((i + 1))
	echo '{"type":"assistant","message":{"id":"m'$i'","content":[{"type":"tool_use","id":"t'$i'","name":"Bash","input":{"command":"git log | grep x"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
	echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t'$i'","content":""}]}}'
done
sleep 3600
