package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
)

// apshim is the real supervisor, built once.
var apshim string

func TestMain(m *testing.M) { proctest.Main(m, &apshim) }

// jobs are what people's agents and gates do all day. A tool that is not on the
// host, or does not run there without a sandbox either, is left out.
var jobs = []struct{ tool, script string }{
	{"go", `mkdir g && cd g && go mod init x && printf 'package x\n\nimport "testing"\n\nfunc TestX(*testing.T) {}\n' > x_test.go && go vet ./... && go test ./...`},
	{"git", `git init -q r && cd r && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -qm x && git status --short && git gc -q`},
	{"npm", `mkdir n && cd n && printf '{"name":"n","version":"1.0.0","dependencies":{"m":"file:m"}}' > package.json && mkdir m && printf '{"name":"m","version":"1.0.0"}' > m/package.json && npm install --offline --no-audit --no-fund && test -e node_modules/m`},
	{"node", `node -e 'require("fs").writeFileSync(require("os").tmpdir()+"/x","1"); require("child_process").execSync("true")'`},
	{"python3", `python3 -m venv --without-pip v && v/bin/python -c 'import tempfile, multiprocessing as m; tempfile.NamedTemporaryFile().write(b"x"); m.Lock()'`},
	{"cargo", `cargo new --vcs none c && cd c && cargo test --offline`},
	{"make", `printf 'all:\n\techo x > made\n' > Makefile && make -s && test -s made`},
	{"sh", `echo x > /dev/null && t=$(mktemp) && rm "$t" && sleep 0 & wait $! && echo 0 > /proc/self/oom_score_adj`},
}

// runs says whether a tool runs on this host as it is. One that only starts others does
// not: cargo of rustup where no toolchain is chosen.
func runs(t *testing.T, tool string) bool {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		return false
	}
	asked := "--version"
	switch tool {
	case "go":
		asked = "version"
	case "sh":
		return true
	}
	cmd := exec.Command(tool, asked)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("%s is left out, it does not run without a sandbox either: %v\n%s", tool, err, out)
	}
	return err == nil
}

// TestToolchainsWorkInEveryMode runs them as an agent would.
func TestToolchainsWorkInEveryMode(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for _, job := range jobs {
		left[job.tool] = !runs(t, job.tool)
	}
	for _, mode := range []events.Sandbox{events.SandboxGuard, events.SandboxWorkspace, events.SandboxReadOnly} {
		for i, job := range jobs {
			if left[job.tool] {
				continue
			}
			if job.tool == "go" && mode == events.SandboxReadOnly {
				job.script = "printf 'package x' > x.go && gofmt -w x.go && go list ./x.go" // without its cache a build takes minutes
			}
			// A read-only run lets them work in a temporary folder.
			t.Run(fmt.Sprintf("%s/%s", mode, job.tool), func(t *testing.T) {
				t.Parallel()
				perform(t, mode, i, job.script, mode == events.SandboxReadOnly)
			})
		}
	}
}

func TestReadOnlyRefusesToWorkInTheWorkTree(t *testing.T) {
	t.Parallel()
	out, text := work(t, events.SandboxReadOnly, "refused", `echo x > f`, false)
	if out.Exit == 0 {
		t.Errorf("%+v: %s", out, text)
	}
}

func perform(t *testing.T, mode events.Sandbox, i int, script string, aside bool) {
	t.Helper()
	out, text := work(t, mode, fmt.Sprintf("%s-%d", mode, i), script, aside)
	if out.Outcome != events.Exited || out.Exit != 0 || len(out.Lacking) > 0 {
		t.Errorf("%s, exit %d, %s, lacking %v:\n%s", out.Outcome, out.Exit, out.Err, out.Lacking, text)
	}
}

// work runs a script as an agent in a work tree, or aside in a temporary folder.
func work(t *testing.T, mode events.Sandbox, name, script string, aside bool) (effect.Outcome, string) {
	t.Helper()
	state, tree, temp := t.TempDir(), t.TempDir(), t.TempDir()
	id := fmt.Sprintf("work-%d-%s", os.Getpid(), name)
	r, err := effect.New(effect.Config{Root: filepath.Join(state, "effects"), Shim: apshim})
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	host := sandbox.Host{
		State: state, Runtime: filepath.Join(state, "run", "x"), Home: home, Temp: "/tmp", UID: os.Getuid(),
		Programs: []string{apshim}, Getenv: os.Getenv,
	}
	env := append(os.Environ(), "TMPDIR="+temp)
	dir := tree
	if aside {
		dir = temp
		// What a read-only agent makes is in its own places.
		env = append(env, "GOCACHE="+filepath.Join(temp, "gocache"), "npm_config_cache="+filepath.Join(temp, "npm"))
	}
	plan := host.Plan(sandbox.Request{Mode: mode, Env: env, Work: tree, Show: []string{r.Open(id).Box()}})
	out, err := r.Run(t.Context(), shim.Spec{ID: id, Argv: []string{"sh", "-c", script}, Dir: dir, Env: env, Confine: plan}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Open(id).Tail(effect.Merged, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	return out, string(text)
}
