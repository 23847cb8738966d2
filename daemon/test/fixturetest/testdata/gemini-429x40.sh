# B-43: forty equal lines of a limit, an empty answer and exit 0.
i=0
while [ "$i" -lt 40 ]; do
	i=$((i + 1))
	echo 'Attempt 3 failed with status 429. Retrying with backoff... RESOURCE_EXHAUSTED' >&2
done
exit 0
