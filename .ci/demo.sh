#!/usr/bin/env bash
# The demo: three short runs of real agent processes against a real test suite.
# It needs Go and git, no account, and leaves nothing behind.
set -euo pipefail

bin=$(cd "$(dirname "$0")/../bin" && pwd)
here=$(cd "$(dirname "$0")" && pwd)/demo
tmp=$(mktemp -d /tmp/ap-demo.XXXXXX)
kept=${GOMODCACHE:-$(go env GOMODCACHE)}
export GOMODCACHE=$kept GOFLAGS=${GOFLAGS:-} GOTOOLCHAIN=local
gocache=$(go env GOCACHE)
export HOME=$tmp/home XDG_RUNTIME_DIR=$tmp/run XDG_STATE_HOME=$tmp/state XDG_CONFIG_HOME=$tmp/config
unset AUTOPILOT_STATE
mkdir -p "$HOME/bin" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
# A folder of the user comes first on PATH, as on many machines.
export PATH="$HOME/bin:$bin:$PATH"
ap=$bin/apctl
project=$tmp/project

finish() {
	"$ap" stop --all --now >/dev/null 2>&1 || true
	"$ap" daemon stop >/dev/null 2>&1 || true
	chmod -R u+w "$tmp" 2>/dev/null || true
	rm -rf "$tmp"
}
trap finish EXIT

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
head1() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
note() { printf '  %s\n' "$*"; }

# begin makes the project anew: two functions, one wrong, and their tests.
begin() {
	rm -rf "$project" "$HOME/bin/go"
	mkdir -p "$project"
	cp -R "$here/project/." "$project/"
	mv "$project/go.mod.txt" "$project/go.mod"
	for f in "$project"/*.go.txt; do mv "$f" "${f%.txt}"; done
	cd "$project"
	git init -q
	git add -A
	git -c user.name=demo -c user.email=demo@localhost commit -qm start
}

# truth asks the real tests, as they were at the start.
truth() {
	(
		rm -f "$HOME/bin/go"
		hash -r
		cp "$here/project/calc_test.go.txt" "$project/calc_test.go"
		cd "$project" && GOCACHE=$gocache go test ./... >/dev/null 2>&1
	) && echo "correct" || echo "broken"
}

head1 '(a) An agent that cheats: it deletes the failing test, puts a "go" that exits 0 first on PATH, says done.'
begin
note 'In a shell loop:'
export AUTOPILOT_ITERATION=1 AUTOPILOT_RESULT_FILE=$tmp/result.json
loop=failed
for i in 1 2 3 4 5; do
	AUTOPILOT_ITERATION=$i "$bin/autopilotd" script-agent "$here/cheat.yaml" | sed 's/^/    agent: /'
	if GOCACHE=$gocache go test ./... >/dev/null 2>&1; then
		loop="success after $i"
		break
	fi
done
unset AUTOPILOT_ITERATION AUTOPILOT_RESULT_FILE
loopcode=$(truth)
note "the loop reports: $loop"
note "the code is:      $loopcode"

begin
note 'Under autopilot:'
code=0
"$ap" run 'make the suite pass' --gate test='go test ./...' --script "$here/cheat.yaml" 2>&1 | sed 's/^/    /' || code=$?
cheat=$code
[ "$cheat" -eq 10 ] || { echo "demo: the cheat ended with exit $cheat, not 10" >&2; exit 1; }

head1 '(b) An honest agent that needs three iterations; the daemon is killed in the second.'
begin
"$ap" run -d 'make the suite pass' --gate test='go test ./...' --script "$here/honest.yaml" 2>&1 | sed 's/^/    /'
until "$ap" status --json | grep -q '"iteration":2,'; do sleep 0.1; done
pid=$("$ap" daemon status --json | sed -n 's/.*"pid":\([0-9]*\).*/\1/p')
kill -KILL "$pid"
note "daemon $pid killed with SIGKILL in iteration 2; the agent lives on"
code=0
"$ap" watch 2>&1 | sed 's/^/    /' || code=$?
[ "$code" -eq 0 ] || { echo "demo: the honest run ended with exit $code" >&2; exit 1; }
"$ap" verify --all 2>&1 | sed 's/^/    /'
honest=$(truth)

head1 '(c) An agent in a loop: the same wrong fix again.'
begin
code=0
"$ap" run 'make the suite pass' --gate test='go test ./...' --script "$here/loop.yaml" >/dev/null 2>&1 || code=$?
"$ap" why 2>&1 | sed 's/^/    /'
[ "$code" -eq 10 ] || { echo "demo: the loop ended with exit $code, not 10" >&2; exit 1; }

head1 'What was shown'
printf '  %-34s %-22s %s\n' 'agent' 'shell loop' 'autopilot'
printf '  %-34s %-22s %s\n' 'cheats (test, PATH, claim)' "$loop, $loopcode" 'halted, the cheats named'
printf '  %-34s %-22s %s\n' 'honest, daemon killed' '-' "done after 3, $honest"
printf '  %-34s %-22s %s\n' 'repeats one failure' 'till morning' 'halted by sameness after 2'
[ "$loopcode" = broken ] && [ "$honest" = correct ]
