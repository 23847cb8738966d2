# A turn of claude that edits a file.
echo '{"type":"system","subtype":"init","session_id":"7b0c","model":"claude-test-1","permissionMode":"acceptEdits"}'
echo '{"type":"assistant","session_id":"7b0c","message":{"id":"msg_1","role":"assistant","model":"claude-test-1","content":[{"type":"text","text":"I edit work.txt."},{"type":"tool_use","id":"toolu_1","name":"Edit","input":{"file_path":"work.txt"}}],"usage":{"input_tokens":12,"cache_read_input_tokens":900,"output_tokens":40}}}'
echo done >> work.txt
echo '{"type":"user","session_id":"7b0c","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":false,"content":"ok"}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"duration_ms":84,"num_turns":2,"result":"Done.","session_id":"7b0c","stop_reason":"end_turn","terminal_reason":"completed","total_cost_usd":0.04,"usage":{"input_tokens":120,"cache_read_input_tokens":1600,"output_tokens":221},"permission_denials":[]}'
