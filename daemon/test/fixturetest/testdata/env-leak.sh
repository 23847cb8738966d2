# B-56: prints its environment, and writes it into files that are kept.
echo "done $AUTOPILOT_ITERATION" >> work.txt
env
env >&2
printf '{"claim":"progress","summary":"%s"}' "$TEST_API_KEY" > "$AUTOPILOT_RESULT_FILE"
