# B-38: undoes in each second iteration what it did in the first.
if [ $((AUTOPILOT_ITERATION % 2)) = 1 ]; then echo A > work.txt; else echo B > work.txt; fi
echo "attempt $AUTOPILOT_ITERATION"
