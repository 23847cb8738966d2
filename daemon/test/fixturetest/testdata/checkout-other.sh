# B-61: goes to another branch, where the code is not, and stays there.
mkdir -p .autopilot/notes
echo "$AUTOPILOT_ITERATION" >> .autopilot/notes/log
git checkout -q -B "other-$AUTOPILOT_ITERATION"
git rm -q --ignore-unmatch add.sh
git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m 'without it'
echo 'on another branch'
