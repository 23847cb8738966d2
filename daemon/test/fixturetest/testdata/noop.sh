# B-35: ends at once, without a tool or a change, as with a bad model name.
echo 'finished naturally'
