# git calls this before it looks at the work tree (core.fsmonitor). It ends a git stash that
# would put work on, or take it from, the one stash of all work trees.
pid=$PPID
while [ "$pid" -gt 1 ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = sh ]; do
	pid=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status")
done
{ tr '\n\0' ' \n' <"/proc/$pid/cmdline"; } 2>/dev/null | {
	read -r word
	case ${word##*/} in git) ;; *) exit 1 ;; esac
	while read -r word; do
		case $word in
		-C | -c | --git-dir | --work-tree | --namespace | --config-env | --attr-source) read -r word ;;
		-*) ;;
		*) break ;;
		esac
	done
	[ "$word" = stash ] || exit 1
	read -r verb || verb=push
	case $verb in
	-* | push | save) ;;
	pop | apply | branch)
		while read -r word; do
			case $word in *[!0-9a-f]* | ?????? | ????? | ???? | ??? | ?? | ? | '') ;; *) exit 1 ;; esac # a commit, as of an autostash
		done
		;;
	*) exit 1 ;;
	esac
	echo 'this run may not use git stash: it is one for all work trees of this repository, and holds work of others; commit, or copy files away and back' >&2
	kill "$pid"
}
exit 1
