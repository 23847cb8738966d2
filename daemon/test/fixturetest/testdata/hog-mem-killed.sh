# B-12: as the system ends a process that takes too much.
echo 'I need more memory.'
kill -KILL $$
