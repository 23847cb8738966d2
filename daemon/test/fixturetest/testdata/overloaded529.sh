# The provider has too much to do, also after the program's own attempts.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"system","subtype":"api_retry","session_id":"s","attempt":1,"max_retries":10,"retry_delay_ms":600,"error_status":529,"error":"overloaded"}'
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"API Error: 529 Overloaded","num_turns":1,"usage":{"input_tokens":0,"output_tokens":0}}'
exit 1
