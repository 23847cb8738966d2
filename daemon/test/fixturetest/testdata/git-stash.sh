# B-61: works, and each second time stashes all that it had done.
if [ $((AUTOPILOT_ITERATION % 2)) = 1 ]; then
	echo 'work' > work.txt
else
	git -c user.name=x -c user.email=x@example.com stash -q -u
fi
echo 'attempt'
