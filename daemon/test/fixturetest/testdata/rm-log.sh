# B-48: removes what is known of it, and goes on.
echo done >> work.txt
rm -rf "$EFFECT_DIR/ctl"
echo 'clean.'
sleep 0.3
