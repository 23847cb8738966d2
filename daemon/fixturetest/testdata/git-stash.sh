# B-61: stashes what is there, the task's own files included.
echo "more $AUTOPILOT_ITERATION" >> work.txt
git -c user.name=x -c user.email=x@example.com stash -q -u
echo 'stashed'
