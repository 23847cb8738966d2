# B-33: emits the promise at once, without any work.
echo '::autopilot {"v":1,"type":"claim_done","text":"all is done"}'
printf '{"claim":"done","summary":"all is done"}' > "$AUTOPILOT_RESULT_FILE"
