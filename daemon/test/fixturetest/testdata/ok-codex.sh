# A turn of codex that edits a file, with a line of its log before the stream.
echo '2026-08-21T10:00:00Z ERROR codex_core: something of its log' >&2
echo '{"type":"thread.started","thread_id":"0199a213"}'
echo '{"type":"turn.started"}'
echo '{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"bash -lc ls","aggregated_output":"","exit_code":null,"status":"in_progress"}}'
echo '{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"bash -lc ls","aggregated_output":"work.txt\n","exit_code":0,"status":"completed"}}'
echo done >> work.txt
echo '{"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"work.txt","kind":"update"}],"status":"completed"}}'
echo '{"type":"item.completed","item":{"id":"item_6","type":"agent_message","text":"Done."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":2476,"cached_input_tokens":2444,"output_tokens":122}}'
