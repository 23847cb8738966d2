# An error of the session, and exit 1.
echo '{"type":"step_start","sessionID":"ses_1","part":{"id":"prt_1","type":"step-start"}}'
echo '{"type":"error","sessionID":"ses_1","error":{"name":"ProviderAuthError","data":{"providerID":"test","message":"no key"}}}'
exit 1
