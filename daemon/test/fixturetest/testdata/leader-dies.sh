# B-14: a signal that is not ours ends the agent, and its child goes on.
sleep 999 &
echo working
kill -KILL $$
