# Asks a person, and nobody is there.
echo '{"type":"thread.started","thread_id":"0199a213"}'
echo '{"type":"turn.started"}'
echo '{"type":"request_user_input","questions":[{"question":"Which database?"}]}'
exit 0
