# B-71: 100 000 tokens more with each line, and no end.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
i=0
while :; do
	i=$((i + 1))
	echo '{"type":"assistant","message":{"id":"m'$i'","model":"m","content":[{"type":"text","text":"on"}],"usage":{"input_tokens":100000,"output_tokens":0}}}'
	sleep 0.05
done
