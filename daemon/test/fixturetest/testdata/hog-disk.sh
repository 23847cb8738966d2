# B-47: prints without end: 256 MiB in lines.
echo done >> work.txt
head -c 268435456 /dev/zero | tr '\0' 'x' | fold -w 1000
echo
echo 'the end'
