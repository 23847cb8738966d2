# A turn of cursor-agent that edits a file.
echo '{"type":"system","subtype":"init","apiKeySource":"login","session_id":"c1","model":"test","permissionMode":"default"}'
echo '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"fix"}]},"session_id":"c1"}'
echo '{"type":"tool_call","subtype":"started","call_id":"t1","tool_call":{"editToolCall":{"args":{"path":"work.txt"}}},"session_id":"c1"}'
echo done >> work.txt
echo '{"type":"tool_call","subtype":"completed","call_id":"t1","tool_call":{"editToolCall":{"args":{"path":"work.txt"},"result":{"success":{"linesAdded":1}}}},"session_id":"c1"}'
echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]},"session_id":"c1"}'
echo '{"type":"result","subtype":"success","is_error":false,"duration_ms":12,"result":"Done.","session_id":"c1","request_id":"r1"}'
