# B-67: a hundred children, each in a session of its own.
i=0
while [ "$i" -lt 100 ]; do
	i=$((i + 1))
	setsid sleep 999 < /dev/null > /dev/null 2>&1 &
	echo "working $i"
done
wait
