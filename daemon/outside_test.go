package daemon

import (
	"errors"
	"os"
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
	if !slices.Contains(w.Files, "node_modules/tape/tape.py") || !strings.Contains(w.LastError, "differ from the start of the run") {
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

// goSite is a site whose modules lie in a cache of the client, with the sums of one.
func goSite(t *testing.T, content string) (s *site, mods string, sums string) {
	t.Helper()
	s, mods = newSite(t, map[string]string{"ok": "no"}), t.TempDir()
	module := filepath.Join(mods, "x.org/a@v1.0.0")
	if err := writeFile(filepath.Join(module, "a.go"), content); err != nil {
		t.Fatal(err)
	}
	return s, module, "x.org/a v1.0.0 h1:aobuTMzTaiweu1uLcrlNxxIpN2ekYTQYSW0sq/sKGEM=\nx.org/a v1.0.0/go.mod h1:any=\n"
}

// TestAModuleThatIsNotWhatGoSumSays is named, whoever changed it and when; where that was
// so at the start it is no failure.
func TestAModuleThatIsNotWhatGoSumSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, sums, agent, want, reason string }{
		"as it was":                 {"package a\n", "at the start", "", "done", ""},
		"changed by the agent":      {"package a\n", "at the start", "echo // > $MODULE/a.go", "halted:drift", "outside-changed"},
		"with another sum":          {"package a\n", "at the start", "echo // > $MODULE/a.go; echo x.org/a v1.0.0 h1:other= > go.sum", "halted:drift", "outside-changed"},
		"changed before the start":  {"package b\n", "at the start", "", "done", "unsure"},
		"new":                       {"package a\n", "of the agent", "", "done", ""},
		"new, and not what it says": {"package b\n", "of the agent", "", "halted:drift", "outside-changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, module, sums := goSite(t, c.content)
			agent := c.agent + "\necho $AUTOPILOT_ITERATION > n; echo yes > ok"
			if c.sums == "at the start" {
				s.write(map[string]string{"go.sum": sums})
			} else {
				agent = "printf '" + strings.ReplaceAll(sums, "\n", `\n`) + "' > go.sum; " + agent
			}
			q := s.spec("grep yes ok", strings.ReplaceAll(agent, "$MODULE", module), func(r *wire.RunSpec) { r.AllowTests = []string{"go.sum"} })
			q.Env = append(q.Env, "GOMODCACHE="+filepath.Dir(filepath.Dir(module)))
			st := s.play(q)
			s.wants(st, c.want)
			w := s.why(st.ID)
			got, files := "", w.Files
			if c.want == "done" {
				for _, control := range w.Evidence.Controls {
					if control.Name == "outside" {
						got, files = control.Reason, control.Files
					}
				}
			} else if strings.Contains(w.LastError, "from go.sum") {
				got = "outside-changed"
			}
			if c.reason != "" && !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, module) }) {
				t.Errorf("it names %q", files)
			}
			if got != c.reason {
				t.Errorf("%q, want %q", got, c.reason)
			}
		})
	}
}

func TestWhatALinkLeadsToOutsideOfTheTreeIsCompared(t *testing.T) {
	t.Parallel()
	for _, ignored := range []string{"", "lib\n"} {
		s, shared := newSite(t, map[string]string{".gitignore": ignored, "ok": "no", "run.py": "import sys\nsys.path.insert(0, 'lib')\nimport judge\njudge.same(open('ok').read(), 'yes')\n"}), t.TempDir()
		err := errors.Join(
			writeFile(filepath.Join(shared, "judge.py"), "def same(a, b):\n    if a != b: raise SystemExit('not ok')\n"),
			os.Symlink(shared, filepath.Join(s.work, "lib")),
		)
		if err != nil {
			t.Fatal(err)
		}
		cheat := "echo $AUTOPILOT_ITERATION > n; printf yes > ok; printf 'def same(a, b): pass\n' > lib/judge.py"
		st := s.play(s.spec("python3 run.py", cheat))
		s.wants(st, "halted:drift")
		if w := s.why(st.ID); !slices.Contains(w.Files, filepath.Join(shared, "judge.py")) {
			t.Errorf("ignored: %q: %q %s", ignored, w.Files, w.LastError)
		}
	}
}
