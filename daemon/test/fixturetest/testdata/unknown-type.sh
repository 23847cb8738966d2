# Types and members of a later version.
echo done >> work.txt
echo '{"type":"system","subtype":"init","session_id":"s","model":"m","later":{"a":[1,2,{}]}}'
echo '{"type":"telepathy","content":[{"type":"result","subtype":"error"}]}'
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"hologram","text":"no"},{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":1,"output_tokens":1,"qubits":3}}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"usage":{"input_tokens":7,"output_tokens":1}}'
