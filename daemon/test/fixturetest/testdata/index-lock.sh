# B-61: leaves the lock of an index, as a git that was killed does.
echo "more $AUTOPILOT_ITERATION" >> work.txt
: > .git/index.lock
echo 'committed'
