# B-25: an event with the time of the reset, in words that no pattern knows.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"rate_limit_event","session_id":"s","rate_limit_info":{"status":"rejected","resetsAt":'"$RESET"',"rateLimitType":"five_hour","utilization":1}}'
echo '{"type":"result","subtype":"success","is_error":true,"result":"Come back later, friend.","num_turns":1,"usage":{"input_tokens":0,"output_tokens":0}}'
exit 1
