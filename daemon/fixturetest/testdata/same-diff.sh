# B-37: comes to the same tree, gates and errors each time.
echo 'the same change' > work.txt
echo "attempt $AUTOPILOT_ITERATION at $(date +%s)"
