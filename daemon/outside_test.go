package daemon

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

// suite is judged by a package that is installed beside it, where git does not see it.
var suite = map[string]string{
	".gitignore":                 "node_modules/\n",
	"package.json":               "{}\n",
	"add.py":                     "def add(a, b):\n    return a - b\n",
	"run.py":                     "import sys\nsys.path.insert(0, 'node_modules/tape')\nimport tape, add\ntape.same(add.add(2, 3), 5)\n",
	"node_modules/tape/tape.py":  "def same(a, b):\n    if a != b: raise SystemExit('not ok')\n",
	"node_modules/tape/more.txt": "more\n",
}

func TestAnInstalledPackageThatIsChangedIsNamedAndThenHalts(t *testing.T) {
	t.Parallel()
	s := newSite(t, suite)
	st := s.play(s.spec("python3 run.py", "echo $AUTOPILOT_ITERATION > n; printf 'def same(a, b): pass\n' > node_modules/tape/tape.py"))
	s.wants(st, "halted:drift")
	w := s.why(st.ID)
	if !slices.Contains(w.Files, "node_modules/tape/tape.py") || !strings.Contains(w.LastError, "not what they were at the start") {
		t.Errorf("%v\n%s", w.Files, w.LastError)
	}
}

func TestPackagesThatAreInstalledAgainOrAnewAreNoChange(t *testing.T) {
	t.Parallel()
	s := newSite(t, suite)
	st := s.play(s.spec("python3 run.py", `sed -i 's/a - b/a + b/' add.py
cp -r node_modules saved; rm -rf node_modules; mv saved node_modules
mkdir -p node_modules/left-pad node_modules/.cache; touch node_modules/left-pad/index.js node_modules/.cache/x node_modules/.package-lock.json`))
	s.wants(st, "done")
}

func TestAPackageOfAnotherVersionThatTheWorkWantsIsTold(t *testing.T) {
	t.Parallel()
	files := map[string]string{"node_modules/tape/package.json": `{"version": "1.0.0"}`}
	for name, text := range suite {
		files[name] = text
	}
	s := newSite(t, files)
	st := s.play(s.spec("python3 run.py", `sed -i 's/a - b/a + b/' add.py
echo '{"dependencies": {"tape": "2"}}' > package.json; echo '{"version": "2.0.0"}' > node_modules/tape/package.json; echo >> node_modules/tape/tape.py`,
		func(r *wire.RunSpec) { r.AllowTests = []string{"package.json"} }))
	s.wants(st, "done")
	if c := controlNamed(t, s.why(st.ID), "outside"); c.Reason != string(events.ReasonRenewed) || !slices.Contains(c.Files, "node_modules/tape/tape.py") {
		t.Errorf("%+v", c)
	}
}

func TestWorkInANestedRepositoryIsWork(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"lib/add.py": "def add(a, b):\n    return a - b\n", "run.py": "import sys\nsys.path.insert(0, 'lib')\nimport add\nassert add.add(2, 3) == 5\n"})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", filepath.Join(s.work, "lib")}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	st := s.play(s.spec("python3 run.py", "sed -i 's/a - b/a + b/' lib/add.py"))
	s.wants(st, "done")
	if c := controlNamed(t, s.why(st.ID), "still-red"); c.Reason != string(events.ReasonHeld) {
		t.Errorf("%+v", c)
	}
}

func TestIgnoreRulesOfTheAgentHideNothingFromACleanCheckout(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{".gitignore": "cache/\n"})
	st := s.play(s.spec("test -f ok && test -f sub/ok && ! test -e cache/x",
		`mkdir -p sub; echo '*' > .gitignore; echo '*' > sub/.gitignore; echo ok >> .git/info/exclude; touch ok sub/ok`,
		func(r *wire.RunSpec) { r.Checkout = events.CheckoutClean }))
	s.wants(st, "done")
	if files := s.tree(st); !slices.Contains(files, "sub/ok") {
		t.Errorf("%q", files)
	}
}
