package sandbox_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
)

// escapes are what a hostile effect does so that the daemon, or the user, reads or runs
// something of its own from then on. Each is run in HOME with $SET, the file of the
// settings, and $PROG, a program of the daemon.
var escapes = map[string]string{
	"the folder of settings is moved":     `mv ~/.config ~/.c; mkdir -p ~/.config/autopilot; echo evil > ~/.config/autopilot/config.yaml`,
	"settings elsewhere are moved":        `d=$(dirname "$(dirname "$SET")"); mv "$d" "$d.x"; mkdir -p "$(dirname "$SET")"; echo evil > "$SET"`,
	"their own folder is moved":           `d=$(dirname "$SET"); mv "$d" "$d.x"; mkdir -p "$d"; echo evil > "$SET"`,
	"their folder becomes a link":         `mkdir e; echo evil > e/config.yaml; d=$(dirname "$SET"); rm -rf "$d"; mv "$d" "$d.x"; ln -s ~/e "$d"`,
	"they are written":                    `echo evil > "$SET"; echo evil >> "$SET"; sed -i s/.*/evil/ "$SET"; cp e "$SET"`,
	"they are linked and written":         `ln "$SET" hard; echo evil > hard; ln -s "$SET" soft; echo evil > soft`,
	"they are removed":                    `rm -rf "$(dirname "$SET")" ~/.config; mkdir -p "$(dirname "$SET")"; echo evil > "$SET"`,
	"the file that a link leads to":       `echo evil > ~/dotfiles/linked.yaml; rm -f ~/dotfiles/linked.yaml; echo evil > ~/dotfiles/linked.yaml`,
	"the folder that a link leads to":     `mv ~/dotfiles ~/d; mkdir ~/dotfiles; echo evil > ~/dotfiles/linked.yaml`,
	"a folder of programs is moved":       `d=$(dirname "$PROG"); mv "$d" "$d.x"; mkdir -p "$d"; echo evil > "$PROG"`,
	"the folder above is moved":           `d=$(dirname "$(dirname "$PROG")"); mv "$d" "$d.x"; mkdir -p "$(dirname "$PROG")"; echo evil > "$PROG"`,
	"a program is replaced":               `echo evil > e; mv -f e "$PROG"; cp -f e "$PROG"; rm -f "$PROG"; echo evil > "$PROG"`,
	"a program is linked and written":     `ln "$PROG" hard; echo evil > hard`,
	"the state is moved":                  `mv ~/.local/state/autopilot ~/s; mkdir -p ~/.local/state/autopilot/effects; echo evil > ~/.local/state/autopilot/key`,
	"the folder above the state is moved": `mv ~/.local/state ~/s; mkdir -p ~/.local/state/autopilot; echo evil > ~/.local/state/autopilot/key`,
	"all of .local is moved":              `mv ~/.local ~/l; mkdir -p ~/.local/state/autopilot ~/.local/bin; echo evil > ~/.local/state/autopilot/key; echo evil > "$PROG"`,
	"HOME is moved":                       `h=$HOME; cd /; mv "$h" "$h.x" && mkdir -p "$(dirname "$SET")" && echo evil > "$SET"`,
	"a name is exchanged":                 `mkdir -p e/autopilot; echo evil > e/autopilot/config.yaml; mv --exchange e ~/.config; mv -T --exchange e "$(dirname "$SET")"`,
	"HOME is bound elsewhere":             `unshare -Urm sh -c 'mkdir -p m; mount --bind ~ m; mount --rbind ~ m; echo evil > "m${SET#$HOME}"; echo evil > "m${PROG#$HOME}"'`,
	"mounts are taken away":               `unshare -Urm sh -c 'umount -l "$(dirname "$SET")" "$SET" "$PROG" ~/.config ~/.local; echo evil > "$SET"; echo evil > "$PROG"'; umount -l "$SET" "$PROG"; echo evil > "$SET"`,
	"mounts are made writable":            `unshare -Urm sh -c 'mount -o remount,rw,bind "$(dirname "$SET")"; mount -o remount,rw,bind "$PROG"; echo evil > "$SET"; echo evil > "$PROG"'`,
	"through the root of others":          `for p in /proc/[0-9]*; do echo evil > "$p/root$SET"; echo evil > "$p/root$PROG"; echo evil > "$p/cwd$SET"; done`,
	"while others look":                   `(sleep 0.05; mv ~/.config ~/.c; mkdir -p ~/.config/autopilot; echo evil > ~/.config/autopilot/config.yaml) & wait`,
}

// TestNoEffectDecidesWhatTheDaemonTrusts plays them in every mode, as this user and as
// one whom file modes bind.
func TestNoEffectDecidesWhatTheDaemonTrusts(t *testing.T) {
	t.Parallel()
	base := os.Getenv("ESCAPE_BASE")
	if base == "" {
		dir, err := os.MkdirTemp("", "escape-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		public := filepath.Join(dir, "apshim")
		text, err := os.ReadFile(apshim)
		if err == nil {
			err = proctest.WriteProgram(public, string(text))
		}
		if err == nil {
			err = os.Chmod(public, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		proctest.AsNobody(t, dir, "ESCAPE_BASE="+dir, proctest.ShimVariable+"="+public, "PATH="+os.Getenv("PATH"), "TMPDIR="+dir)
		base = t.TempDir()
	}
	for _, mode := range []events.Sandbox{events.SandboxGuard, events.SandboxWorkspace, events.SandboxReadOnly} {
		for _, layout := range []string{".config/autopilot/config.yaml .local/bin/apctl", "xdg/a/autopilot/config.yaml go/bin/apctl", ".config/autopilot/linked.yaml bin/apctl"} {
			t.Run(string(mode)+" "+layout, func(t *testing.T) {
				t.Parallel()
				if newFortress(t, base, layout).falls(t, mode, slices.Sorted(maps.Values(escapes))...) == "" {
					return
				}
				for name, script := range escapes {
					if how := newFortress(t, base, layout).falls(t, mode, script); how != "" {
						t.Errorf("%s: %s", name, how)
					}
				}
				if !t.Failed() {
					t.Error("only all of them together break out")
				}
			})
		}
	}
}

// fortress is a user's home with what is the daemon's.
type fortress struct {
	home, settings, program string
	effects                 *effect.Runner
	host                    sandbox.Host
	firm                    map[string]os.FileInfo // by path
}

func newFortress(t *testing.T, base, layout string) *fortress {
	t.Helper()
	home, err := os.MkdirTemp(base, "home-")
	if err != nil {
		t.Fatal(err)
	}
	settings, program, _ := strings.Cut(layout, " ")
	h := &fortress{home: home, settings: filepath.Join(home, settings), program: filepath.Join(home, program), firm: map[string]os.FileInfo{}}
	state := filepath.Join(home, ".local/state/autopilot")
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{h.settings, h.program, filepath.Join(state, "key"), filepath.Join(home, "dotfiles/linked.yaml"), filepath.Join(home, "work/f")} {
		must(os.MkdirAll(filepath.Dir(file), 0o700))
		must(os.WriteFile(file, []byte("good\n"), 0o700))
	}
	if strings.HasSuffix(settings, "linked.yaml") {
		must(os.Remove(h.settings))
		must(os.Symlink(filepath.Join(home, "dotfiles/linked.yaml"), h.settings))
	}
	h.effects, err = effect.New(effect.Config{Root: filepath.Join(state, "effects"), Shim: apshim})
	must(err)
	t.Cleanup(func() { _ = h.effects.Close() })
	h.host = sandbox.Host{
		State: state, Runtime: filepath.Join(state, "run", "x"), Config: h.settings, Home: home, Temp: "/tmp", UID: os.Getuid(),
		Programs: []string{h.program}, Getenv: func(string) string { return "" },
	}
	for _, path := range []string{h.settings, filepath.Dir(h.settings), h.program, state, filepath.Join(state, "key")} {
		h.firm[path], err = os.Stat(path)
		must(err)
	}
	return h
}

// falls runs scripts in one effect and says what of the daemon's is another then.
func (h *fortress) falls(t *testing.T, mode events.Sandbox, scripts ...string) string {
	t.Helper()
	id := "hostile-" + filepath.Base(h.home) // processes are known by it
	env := []string{
		"HOME=" + h.home, "PATH=" + os.Getenv("PATH"), "SET=" + h.settings, "PROG=" + h.program,
		"CARGO_HOME=/root/none/x", "XDG_RUNTIME_DIR=/root/none/y", // nobody may look there
	}
	work := filepath.Join(h.home, "work")
	plan := h.host.Plan(sandbox.Request{Mode: mode, Env: env, Work: work, Show: []string{h.effects.Open(id).Box()}})
	script := "(cd ~; " + strings.Join(scripts, ")\n(cd ~; ") + ")\nexit 0"
	spec := shim.Spec{ID: id, Argv: []string{"sh", "-c", script}, Dir: work, Env: env, Confine: plan}
	out, err := h.effects.Run(t.Context(), spec, nil, nil)
	if err != nil || out.Outcome != events.Exited || out.Exit != 0 || len(out.Lacking) > 0 {
		t.Fatalf("%+v %v", out, err)
	}
	for path, was := range h.firm {
		is, err := os.Stat(path)
		if err != nil || !os.SameFile(was, is) {
			return fmt.Sprintf("%s is another one: %v", path, err)
		}
		if text, err := os.ReadFile(path); err == nil && string(text) != "good\n" || err != nil && !is.IsDir() || is.Mode() != was.Mode() {
			return fmt.Sprintf("%s was changed: %q %v %v", path, text, is.Mode(), err)
		}
	}
	return ""
}

// A program is started as it was when the daemon began, whatever its path leads to.
func TestTheSupervisorIsTheOneOfTheStart(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	bin := filepath.Join(base, "bin")
	text, err := os.ReadFile(apshim)
	if err == nil {
		err = proctest.WriteProgram(filepath.Join(bin, "apshim"), string(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := effect.New(effect.Config{Root: filepath.Join(base, "effects"), Shim: filepath.Join(bin, "apshim")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	run := func(id string) {
		t.Helper()
		out, err := r.Run(t.Context(), shim.Spec{ID: id, Argv: []string{"true"}, Dir: base, Env: []string{"PATH=" + os.Getenv("PATH")}}, nil, nil)
		if err != nil || out.Outcome != events.Exited || out.Exit != 0 {
			t.Errorf("%s: %+v %v", id, out, err)
		}
	}
	run("before")
	if err := os.Rename(bin, bin+".x"); err != nil {
		t.Fatal(err)
	}
	run("moved")
	if err := proctest.WriteProgram(filepath.Join(bin, "apshim"), "#!/bin/sh\ntouch "+base+"/evil\n"); err != nil {
		t.Fatal(err)
	}
	run("replaced")
	if _, err := os.Stat(filepath.Join(base, "evil")); err == nil {
		t.Error("another program was started")
	}
	out, err := r.Run(t.Context(), shim.Spec{ID: "named", Argv: []string{"sh", "-c", "grep -qx apshim /proc/$PPID/comm"}, Dir: base, Env: []string{"PATH=" + os.Getenv("PATH")}}, nil, nil)
	if err != nil || out.Exit != 0 {
		t.Errorf("it is listed under another name: %+v %v", out, err)
	}
	var st syscall.Stat_t
	if err := syscall.Stat(r.Supervisor(), &st); err != nil || st.Size != int64(len(text)) {
		t.Errorf("others find %s: %v", r.Supervisor(), err)
	}
}

func TestTheHostIsProbedWithoutATrace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lacking, err := sandbox.Probe(t.Context(), apshim, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lacking {
		t.Logf("%s: %s", l.Word, l.Why)
		if l.Word == confine.Namespaces || l.Word == confine.Hide {
			t.Errorf("%s: %s", l.Word, l.Why)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}
