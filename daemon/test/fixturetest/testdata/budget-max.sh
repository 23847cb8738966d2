# The program's own limit of money.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"error_max_budget_usd","is_error":true,"num_turns":4,"total_cost_usd":5.01,"errors":["Reached maximum budget ($5)"],"usage":{"input_tokens":9,"output_tokens":9}}'
exit 1
