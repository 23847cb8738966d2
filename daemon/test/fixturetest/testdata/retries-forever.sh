# B-43: does nothing but ask its provider again, which refuses it each time.
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
while :; do
	echo '{"type":"system","subtype":"api_retry","session_id":"s","attempt":1,"max_retries":10,"retry_delay_ms":600,"error_status":529,"error":"overloaded"}'
	sleep 0.05
done
