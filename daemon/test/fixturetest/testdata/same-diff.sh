# B-37: comes to the same tree, gates and errors each time; only its notes grow.
echo 'the same change' > work.txt
mkdir -p .autopilot/notes
echo "attempt $AUTOPILOT_ITERATION at $(date +%s)" | tee -a .autopilot/notes/log
