# B-21: the limit as a success with is_error, and exit 0.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":true,"result":"API Error: Rate limit reached","stop_reason":"stop_sequence","duration_ms":400,"duration_api_ms":0,"num_turns":1,"session_id":"s","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0}}'
exit 0
