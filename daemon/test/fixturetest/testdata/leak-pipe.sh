# B-4: a grandchild keeps the output open after the agent has ended.
echo done >> work.txt
(sleep 600 &)
echo done
exit 0
