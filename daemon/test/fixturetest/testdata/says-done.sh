# B-31: works a little and says that the project is complete, with boxes open.
echo "- [ ] left $AUTOPILOT_ITERATION" >> plan.md
echo 'Project complete. COMPLETE. <promise>DONE</promise>'
printf '{"claim":"done","summary":"project complete"}' > "$AUTOPILOT_RESULT_FILE"
