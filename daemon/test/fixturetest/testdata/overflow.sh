# More than the model takes.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"blocking_limit","result":"Prompt is too long","num_turns":3,"usage":{"input_tokens":200000,"output_tokens":1}}'
exit 1
