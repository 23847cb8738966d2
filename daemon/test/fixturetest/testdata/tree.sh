# B-8: children and grandchildren that outlive a kill of their parent alone.
sh -c 'sleep 999 & sleep 999 & wait' &
sleep 999 &
echo working
wait
