# Any command that works and says so in its own words.
echo done >> work.txt
echo 'I changed work.txt.'
