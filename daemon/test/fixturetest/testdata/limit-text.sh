# B-24, B-26: the wording WORDS as all that is printed, then exit CODE.
echo "$WORDS"
exit "$CODE"
