# B-56: prints its key in two writes, and in base64.
echo done >> work.txt
printf 'key: %.9s' "$TEST_API_KEY"
sleep 0.1
printf '%s\n' "${TEST_API_KEY#?????????}"
printf '%s' "user:$TEST_API_KEY" | base64
