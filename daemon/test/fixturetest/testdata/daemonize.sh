# B-11: leaves a process in a session of its own, whose parent is gone.
echo done >> work.txt
(setsid sh -c 'sleep 999' < /dev/null > /dev/null 2>&1 &)
echo done
