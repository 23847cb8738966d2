# A turn of opencode that edits a file, in two steps.
echo '{"type":"step_start","timestamp":1790000000000,"sessionID":"ses_1","part":{"id":"prt_1","type":"step-start"}}'
echo done >> work.txt
echo '{"type":"tool_use","timestamp":1790000000001,"sessionID":"ses_1","part":{"id":"prt_2","type":"tool","tool":"edit","callID":"c1","state":{"status":"completed","input":{"filePath":"work.txt"},"output":"ok"}}}'
echo '{"type":"step_finish","timestamp":1790000000002,"sessionID":"ses_1","part":{"id":"prt_3","type":"step-finish","reason":"tool-calls","cost":0.01,"tokens":{"input":100,"output":20,"reasoning":0,"cache":{"read":50,"write":0}}}}'
echo '{"type":"step_start","timestamp":1790000000003,"sessionID":"ses_1","part":{"id":"prt_4","type":"step-start"}}'
echo '{"type":"text","timestamp":1790000000004,"sessionID":"ses_1","part":{"id":"prt_5","type":"text","text":"Done."}}'
echo '{"type":"step_finish","timestamp":1790000000005,"sessionID":"ses_1","part":{"id":"prt_6","type":"step-finish","reason":"stop","cost":0.01,"tokens":{"input":100,"output":20,"reasoning":0,"cache":{"read":50,"write":0}}}}'
