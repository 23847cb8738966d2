# B-69: a login that has ended.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Please run /login","num_turns":1,"usage":{"input_tokens":0,"output_tokens":0}}'
exit 1
