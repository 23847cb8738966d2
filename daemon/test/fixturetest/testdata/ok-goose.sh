# A turn of goose that edits a file.
echo '{"type":"message","message":{"id":"m1","role":"assistant","content":[{"type":"toolRequest","id":"t1","toolCall":{"status":"success","value":{"name":"developer__text_editor","arguments":{"path":"work.txt"}}}}]}}'
echo done >> work.txt
echo '{"type":"message","message":{"role":"user","content":[{"type":"toolResponse","id":"t1","toolResult":{"status":"success","value":[]}}]}}'
echo '{"type":"message","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Done."}]}}'
echo '{"type":"complete","total_tokens":1210}'
