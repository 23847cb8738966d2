# The program's own limit of turns.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":41,"errors":["Reached maximum number of turns (40)"],"usage":{"input_tokens":9,"output_tokens":9}}'
exit 1
