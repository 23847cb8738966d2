package rule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Q33, S39: the same push in every place and with every way of quoting that a shell
// has.
func TestQ33APushIsSeenHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	want := []Send{{Dir: ".", Branch: "x", With: "git push"}}
	for _, command := range []string{
		// quoting
		`git push origin x`,
		`"git" "push" "origin" "x"`,
		`'git' 'push' 'origin' 'x'`,
		`g'i't pu"s"h origin x`,
		`\git \push origin \x`,
		`$'git' $'\x70ush' origin x`,
		`$"git" push origin x`,
		"git \\\n push origin x",
		"git\tpush   origin  x",
		`git push origin "x"''`,
		`command git push origin x`,
		`"/usr/bin/"git push origin x`,
		// places
		`:; git push origin x`,
		"true\ngit push origin x",
		"# first\ngit push origin x # last",
		`true && git push origin x`,
		`false || git push origin x`,
		`! git push origin x`,
		`git push origin x | tee log`,
		`yes | git push origin x`,
		`git push origin x |& cat`,
		`git push origin x > log 2>&1 &`,
		`{ git push origin x; }`,
		`(git push origin x)`,
		`((1)) && git push origin x`,
		`[[ -f a ]] && git push origin x`,
		`if git push origin x; then :; fi`,
		`if :; then :; else git push origin x; fi`,
		`for i in 1 2; do git push origin x; done`,
		`while git push origin x; do :; done`,
		`until git push origin x; do sleep 1; done`,
		`case $a in a) git push origin x;; esac`,
		`select a in b; do git push origin x; done`,
		`coproc git push origin x`,
		`time git push origin x`,
		`time -p git push origin x`,
		`f() { git push origin x; }`,
		`function f { git push origin x; }`,
		`a=$(git push origin x)`,
		"a=`git push origin x`",
		`echo "done: $(git push origin x)"`,
		`echo ${a:-$(git push origin x)}`,
		`cat <(git push origin x)`,
		`tee >(git push origin x)`,
		`A=1 B=2 git push origin x`,
		`export A=$(git push origin x)`,
		`cat <<EOF
$(git push origin x)
EOF`,
		// what starts it
		`sh -c 'git push origin x'`,
		`sh -ec "git push origin x"`,
		`bash -lc 'cd . && git push origin x'`,
		`bash -o pipefail -c 'git push origin x'`,
		`sh -c "sh -c 'git push origin x'"`,
		`eval "git push origin x"`,
		`eval git push origin x`,
		`env A=b git push origin x`,
		`env -i PATH=/bin git push origin x`,
		`env -u A git push origin x`,
		`env -S 'git push origin x'`,
		`exec git push origin x`,
		`nohup git push origin x &`,
		`nice -n 5 git push origin x`,
		`timeout 9 git push origin x`,
		`timeout -k 5 -s INT 9 git push origin x`,
		`timeout --signal=INT 9 git push origin x`,
		`stdbuf -oL git push origin x`,
		`setsid git push origin x`,
		`sudo -u me git push origin x`,
		`sudo -E -- git push origin x`,
		`xargs git push origin x`,
		`xargs -n 1 -P 2 git push origin x`,
		`echo x | xargs -I {} git push origin x`,
		`find . -maxdepth 0 -exec git push origin x ';'`,
		`find . -maxdepth 0 -exec git push origin x \;`,
		`flock lock git push origin x`,
		`flock -n lock -c 'git push origin x'`,
		`watch -n 5 git push origin x`,
		`busybox sh -c 'git push origin x'`,
		`su me -c 'git push origin x'`,
		`script -qc 'git push origin x' /dev/null`,
		`trap 'git push origin x' EXIT`,
		`echo 'git push origin x' | sh`,
		"sh <<'EOF'\ngit push origin x\nEOF",
		"bash <<EOF\ngit push origin x\nEOF",
		`bash <<< 'git push origin x'`,
		`sh -s <<< "git push origin x"`,
		// git's own words before it
		`git -c a.b=c push origin x`,
		`git --no-pager push origin x`,
		`git -p push origin x`,
		`git --literal-pathspecs --no-optional-locks push origin x`,
		`git -C . push origin x`,
		`git --git-dir=.git push origin x`,
		`git --git-dir .git --work-tree . push origin x`,
		`git --exec-path=/usr/lib/git-core push origin x`,
		`git --config-env=a.b=C push origin x`,
		`git --namespace=n push origin x`,
	} {
		if d := cmp.Diff(want, Sends(command)); d != "" {
			t.Errorf("%s: %s", command, d)
		}
	}
}

// What only looks like a push, or whose words are only known when it runs, shows
// nothing: the guard lets through what is unexpected. Seeds 3.10, allow.
func TestWhatOnlyLooksLikeAPushIsNone(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`# git push origin x`,
		`echo git push origin x`,
		`echo "git push origin x"`,
		`grep 'git push' file`,
		`git log --grep push`,
		`git commit -m "git push origin x"`,
		`git commit -m '$(git push origin x)'`,
		"cat <<'EOF'\n$(git push origin x)\nEOF",
		"cat > s.sh <<'EOF'\ngit push origin x\nEOF",
		`git stash push origin x`,
		`git subtree push origin x`,
		`git help push`,
		`git push --help`,
		`mygit push origin x`,
		`./git-push origin x`,
		`$GIT push origin x`,
		`git $VERB origin x`,
		`$(echo git) push origin x`,
		`printf -v a 'git push origin x'`,
		`a='git push origin x'`,
		`ssh host git push origin x`,
		`docker exec c git push origin x`,
		`alias p='git push origin x'`,
		`man git push`,
	} {
		if got := Sends(command); got != nil {
			t.Errorf("%s: %+v", command, got)
		}
	}
}
