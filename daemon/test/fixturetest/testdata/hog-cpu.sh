# B-67: two loops that compute for ever.
echo working
(while :; do :; done) &
while :; do :; done
