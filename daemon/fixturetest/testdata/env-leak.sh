# B-56: prints its environment.
echo done >> work.txt
env
env >&2
