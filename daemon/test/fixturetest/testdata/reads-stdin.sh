# B-5: reads its standard input to the end before it works.
cat > /dev/null
echo done >> work.txt
echo ok
