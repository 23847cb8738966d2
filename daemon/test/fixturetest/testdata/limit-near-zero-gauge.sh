# B-29: gauges near their end, as whole and as broken numbers, reject nothing.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1990000000,"rateLimitType":"seven_day","utilization":1,"unifiedWindows":{"five_hour":{"utilization":0.0001},"seven_day":{"utilization":1,"resetsAt":1990000000}}}}'
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour","utilization":0.999}}'
echo done >> work.txt
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"usage":{"input_tokens":1,"output_tokens":1}}'
