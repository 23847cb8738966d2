# B-23: an agent whose subject are rate limits.
echo 'The rate limiting has a race: "Rate limit exceeded" is sent twice.'
echo 'I documented that, and what to do about 429 Too Many Requests.'
echo done >> work.txt
echo 'Changed: work.txt, usage limit reached included.'
