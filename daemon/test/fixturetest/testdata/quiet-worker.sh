# Prints nothing for longer than the idle limit, and computes all the time.
end=$(($(date +%s) + 3))
while [ "$(date +%s)" -lt "$end" ]; do
	i=0
	while [ "$i" -lt 20000 ]; do i=$((i + 1)); done
done
echo done >> work.txt
echo 'Done.'
