# Fails with a message and without an event.
echo '{"type":"system","subtype":"init","apiKeySource":"login","session_id":"c1","model":"test","permissionMode":"default"}'
echo 'Error: something is wrong with the network' >&2
exit 1
