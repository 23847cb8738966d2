# B-7: reads a prompt of any size, and says how large it was.
wc -c | tee work.txt
