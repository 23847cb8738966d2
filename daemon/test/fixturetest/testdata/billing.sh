# No money left.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"assistant","error":"billing_error","message":{"id":"m1","model":"<synthetic>","content":[{"type":"text","text":"Credit balance is too low"}]}}'
echo '{"type":"result","subtype":"success","is_error":true,"result":"Credit balance is too low","num_turns":1,"usage":{"input_tokens":0,"output_tokens":0}}'
exit 1
