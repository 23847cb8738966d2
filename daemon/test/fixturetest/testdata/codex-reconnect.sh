# An error that passes is none.
echo '{"type":"thread.started","thread_id":"0199a213"}'
echo '{"type":"turn.started"}'
echo '{"type":"error","message":"Reconnecting... 1/5"}'
echo '{"type":"error","message":"Reconnecting... 2/5"}'
echo done >> work.txt
echo '{"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"work.txt","kind":"update"}],"status":"completed"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":24,"cached_input_tokens":4,"output_tokens":12}}'
