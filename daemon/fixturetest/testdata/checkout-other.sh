# B-61: goes to another branch, with other files.
git checkout -q -B "other-$AUTOPILOT_ITERATION"
git rm -q --cached add.sh
rm -f add.sh
git -c user.name=x -c user.email=x@example.com commit -qm 'without it'
echo 'on another branch'
