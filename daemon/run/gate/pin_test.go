package gate

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/projections/rule"
)

func TestPinBuildsTheEnvironmentOfGates(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	mkdir(t, filepath.Join(s.home, ".cargo"))
	mkdir(t, filepath.Join(s.home, "go", "pkg", "mod"))
	r := s.request()
	r.ClientEnv = append(r.ClientEnv,
		"PATH=relative:"+s.bin+"::./x:"+s.sbin+"/:"+s.bin,
		"PYENV_ROOT=/opt/pyenv", "GOFLAGS=-mod=mod", "CGO_ENABLED=0", "LANG=C.UTF-8", "LC_ALL=C", "TZ=UTC", "USER=me",
		"https_proxy=http://p", "NO_PROXY=x", "JAVA_HOME=/opt/java", "TMPDIR=/scratch",
		"AWS_SECRET_ACCESS_KEY=x", "GOOGLE_APPLICATION_CREDENTIALS=x", "GITHUB_TOKEN=x", "ANTHROPIC_API_KEY=x", "LD_PRELOAD=x",
		"PYTHONPATH=x", "NODE_OPTIONS=x", "BASH_ENV=x", "ENV=x", "SSH_AUTH_SOCK=x", "GOCACHE=/poisoned", "GOENV=/nonexistent/env", "not a variable",
	)
	r.Temp = "ap-1"
	r.Extra = map[string]string{"DATABASE_URL": "postgres://x", "LANG": "de_DE"}
	home, cache := r.Home, r.Cache
	equal(t, "environment", s.pinAs(r).Env, []string{
		"CARGO_HOME=" + s.home + "/.cargo",
		"CGO_ENABLED=0",
		"CI=1",
		"DATABASE_URL=postgres://x",
		"GOCACHE=" + cache + "/go-build",
		"GOENV=" + home + "/.config/go/env",
		"GOFLAGS=-mod=mod",
		"GOMODCACHE=" + s.home + "/go/pkg/mod",
		"GOPATH=" + s.home + "/go",
		"GRADLE_USER_HOME=" + cache + "/gradle",
		"HOME=" + home,
		"JAVA_HOME=/opt/java",
		"LANG=de_DE",
		"LC_ALL=C",
		"NO_PROXY=x",
		"NUGET_PACKAGES=" + cache + "/nuget",
		"PATH=" + s.bin + ":" + s.sbin,
		"PIP_CACHE_DIR=" + cache + "/pip",
		"PYENV_ROOT=/opt/pyenv",
		"PYTHONPYCACHEPREFIX=" + cache + "/pycache",
		"TERM=dumb",
		"TMPDIR=/scratch/ap-1",
		"TZ=UTC",
		"USER=me",
		"XDG_CACHE_HOME=" + cache + "/xdg",
		"YARN_CACHE_FOLDER=" + cache + "/yarn",
		"https_proxy=http://p",
		"npm_config_cache=" + cache + "/npm",
	})
	for _, dir := range []string{home, cache + "/go-build", cache + "/npm"} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
}

func TestPinLeavesToTheGoEnvFileWhatThatSays(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	mkdir(t, filepath.Join(s.home, "go", "pkg", "mod"))
	own := mkdir(t, filepath.Join(s.home, "own"))
	mkdir(t, filepath.Join(own, "pkg", "mod"))
	goenv := write(t, s.home, "goenv", "GOPATH="+own+"\r\nGOPROXY=off\n", 0o600)
	r := s.request()
	r.ClientEnv = append(r.ClientEnv, "GOENV="+goenv)
	p := s.pinAs(r)
	equal(t, "GOPATH", p.value("GOPATH"), "")
	equal(t, "GOMODCACHE", p.value("GOMODCACHE"), filepath.Join(own, "pkg", "mod"))
}

func TestPinWithoutPathTakesTheOrdinaryOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r := s.request()
	r.ClientEnv = []string{"HOME=" + s.home, "PATH=only:relative"}
	equal(t, "PATH", s.pinAs(r).value("PATH"), defaultPath)
}

func TestPinWithoutHome(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r := s.request()
	r.ClientEnv = []string{"PATH=" + s.bin}
	write(t, s.home, ".npmrc", "registry=http://r\n", 0o600)

	p, err := pin(r, func() (string, error) { return s.home, nil })
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "copied from the entry's home", string(p.Copies[1].Data), "registry=http://r\n")

	for name, lookup := range map[string]func() (string, error){
		"no entry":   func() (string, error) { return "", errors.New("unknown userid 5") },
		"empty home": func() (string, error) { return "", nil },
	} {
		if _, err := pin(r, lookup); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPinRefusesWhatNoEnvironmentCanHold(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, extra := range []map[string]string{{"": "x"}, {"A=B": "x"}, {"A": "x\x00y"}} {
		r := s.request()
		r.Extra = extra
		if _, err := Pin(r); err == nil {
			t.Errorf("%q is accepted", extra)
		}
	}
}

func TestPinCopiesConfigurationAnew(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.home, ".npmrc", "a=1\n", 0o644)
	write(t, s.home, ".netrc", "machine x\n", 0o600)
	first := s.pin()
	npmrc, netrc := filepath.Join(first.Home, ".npmrc"), filepath.Join(first.Home, ".netrc")
	info, err := os.Stat(npmrc)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}

	write(t, s.home, ".npmrc", "a=2\n", 0o644)
	if err := os.Remove(filepath.Join(s.home, ".netrc")); err != nil {
		t.Fatal(err)
	}
	second := s.pin()
	text, err := os.ReadFile(npmrc)
	equal(t, "error", err, nil)
	equal(t, "npmrc", string(text), "a=2\n")
	if _, err := os.Stat(netrc); !os.IsNotExist(err) {
		t.Errorf("netrc is still there: %v", err)
	}
	if a, b := first.Copies[1].Sum(), second.Copies[1].Sum(); a == b || second.Copies[2].Sum() != "" {
		t.Errorf("sums do not tell: %s, %s", a, b)
	}
}

func TestPinRefusesAConfigurationThatIsNoSmallFile(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	mkdir(t, filepath.Join(s.home, ".npmrc"))
	if _, err := Pin(s.request()); err == nil || !strings.Contains(err.Error(), ".npmrc") {
		t.Errorf("error is %v", err)
	}
}

func TestPinnedSurvivesItsFileAndSummaryHasNoValue(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.program(s.bin, "tool", "exit 0")
	write(t, s.home, ".npmrc", "token=hunter2\n", 0o600)
	r := s.request("tool")
	r.Extra = map[string]string{"SECRET": "hunter2"}
	p := s.pinAs(r)
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back Pinned
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	equal(t, "read back", back, p)
	equal(t, "nothing changed", s.check(back), []ToolChange(nil))

	b, err = json.Marshal(p.Summary())
	equal(t, "error", err, nil)
	if strings.Contains(string(b), "hunter2") || !strings.Contains(string(b), `"SECRET"`) {
		t.Errorf("summary is %s", b)
	}
}

// One "go env -w" in the user's HOME turns a red suite green; a gate sees what
// was there when the run began, also after one wrote to its own HOME.
func TestFR65GoEnvOfAnAgentReachesNoGate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.work, "go.mod", "module p\n\ngo 1.21\n", 0o600)
	write(t, s.work, "p_test.go", "package p\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Fail() }\n", 0o600)
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command(goTool, "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	r := s.request("go test ./...")
	r.ClientEnv = append(r.ClientEnv, "PATH="+filepath.Dir(goTool))
	r.Extra = map[string]string{"GOCACHE": strings.TrimSpace(string(cache))} // a cold one costs a minute
	p := s.pinAs(r)

	spoil := func(env ...string) {
		t.Helper()
		cmd := exec.Command(goTool, "env", "-w", "GOFLAGS=-run=NONE")
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	spoil("HOME=" + s.home)
	spoil(p.Env...)
	equal(t, "tools", s.check(p), []ToolChange(nil))

	l := p.Launch(Command{Name: "test", Run: rule.Command{Text: "go test ./..."}})
	cmd := exec.Command(l.Argv[0], l.Argv[1:]...)
	cmd.Dir, cmd.Env = l.Dir, l.Env
	out, err := cmd.CombinedOutput()
	if ids, _ := rule.Failing(out); err == nil || len(ids) != 1 {
		t.Errorf("the suite is not red: %v\n%s", err, out)
	}
}

func TestWhatIsLeftInTheGatesHomeIsLaidAnew(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(s *stage, path string){
		"changed":      func(s *stage, path string) { write(s.t, filepath.Dir(path), filepath.Base(path), "b=2\n", 0o600) },
		"removed":      func(s *stage, path string) { remove(s.t, path) },
		"another mode": func(s *stage, path string) { write(s.t, filepath.Dir(path), filepath.Base(path), "a=1\n", 0o666) },
		"a folder": func(s *stage, path string) {
			remove(s.t, path)
			mkdir(s.t, filepath.Join(path, "deep"))
		},
		"a link to a file with the same text": func(s *stage, path string) {
			remove(s.t, path)
			if err := os.Symlink(write(s.t, s.home, "elsewhere", "a=1\n", 0o600), path); err != nil {
				s.t.Fatal(err)
			}
		},
		"a link out, where a folder was": func(s *stage, path string) {
			config := filepath.Join(filepath.Dir(path), ".config")
			if err := errors.Join(os.RemoveAll(config), os.Symlink(s.home, config)); err != nil {
				s.t.Fatal(err)
			}
		},
		"HOME is a link": func(s *stage, path string) {
			home := filepath.Dir(path)
			if err := errors.Join(os.RemoveAll(home), os.Symlink(s.home, home)); err != nil {
				s.t.Fatal(err)
			}
		},
		"a file where a folder was": func(s *stage, path string) {
			config := filepath.Join(filepath.Dir(path), ".config")
			if err := os.RemoveAll(config); err != nil {
				s.t.Fatal(err)
			}
			write(s.t, filepath.Dir(config), ".config", "x", 0o600)
		},
		"the go env file": func(s *stage, path string) {
			write(s.t, filepath.Dir(path), goEnvName, "GOFLAGS=-run=NONE\n", 0o600)
		},
		"all of HOME": func(s *stage, path string) {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			write(t, s.home, ".npmrc", "a=1\n", 0o600)
			p := s.pin()
			path := filepath.Join(p.Home, ".npmrc")
			kept := write(t, s.home, "go/env", "GOPROXY=off\n", 0o600)
			spoil(s, path)
			equal(t, "changes", s.check(p), []ToolChange(nil))
			text, err := os.ReadFile(path)
			equal(t, "error", err, nil)
			equal(t, "npmrc", string(text), "a=1\n")
			if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
			if _, err := os.Lstat(filepath.Join(p.Home, goEnvName)); !os.IsNotExist(err) {
				t.Errorf("the go env file is still there: %v", err)
			}
			text, err = os.ReadFile(kept)
			equal(t, "error", err, nil)
			equal(t, "the user's file behind the link", string(text), "GOPROXY=off\n")
			left, err := filepath.Glob(filepath.Join(p.Home, "*.lay-*"))
			equal(t, "left", len(left), 0)
			equal(t, "error", err, nil)
		})
	}
}
