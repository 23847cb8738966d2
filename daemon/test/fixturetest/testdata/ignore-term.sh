# B-86: takes no notice of a polite end.
trap '' TERM
echo working
while :; do sleep 1; done
