# B-12: takes memory until there is no more: 200 MB here, the machine is safe.
ulimit -v 200000
echo 'I need more memory.'
tail /dev/zero
