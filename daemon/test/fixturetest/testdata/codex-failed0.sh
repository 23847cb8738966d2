# B-40: a turn that failed, and exit 0.
echo '{"type":"thread.started","thread_id":"0199a213"}'
echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"All is done."}}'
echo '{"type":"turn.failed","error":{"message":"something went wrong"}}'
exit 0
