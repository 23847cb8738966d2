package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

var errNone = errors.New("there is none")

// host is a healthy one.
type host struct {
	Probe
	files    fstest.MapFS
	disks    map[string]Disk
	says     map[string]string // by program; "!" is an error
	programs []string          // paths
	denied   []string          // paths that cannot be written
}

const (
	ext4    = 0xef53
	gigabit = 1 << 30
)

func newHost() *host {
	h := &host{
		files: fstest.MapFS{
			"proc/sys/fs/inotify/max_user_watches":   {Data: []byte("524288\n")},
			"proc/sys/fs/inotify/max_user_instances": {Data: []byte("512\n")},
			"proc/sys/user/max_user_namespaces":      {Data: []byte("15000\n")},
			"proc/self/cgroup":                       {Data: []byte("0::/user.slice/a\n")},
			"proc/pressure/memory":                   {Data: []byte("some avg10=0.00\n")},
			"sys/fs/cgroup/cgroup.controllers":       {Data: []byte("cpu\n")},
			"run/user/7/autopilot":                   {Mode: fs.ModeDir | 0o700},
			"var/lib/systemd/linger/u":               {},
			"w/.git/HEAD":                            {Data: []byte("ref: refs/heads/main\n")},
		},
		disks:    map[string]Disk{"/state": {100 * gigabit, ext4}, "/w": {50 * gigabit, ext4}},
		says:     map[string]string{"git": "git version 2.47.1\n", "timedatectl": "yes\n", "systemctl": "running\n"},
		programs: []string{"/bin/git", "/home/u/.local/bin/claude"},
	}
	h.Probe = Probe{
		GOOS: "linux", UID: 7, Now: noon,
		ReadFile: func(path string) ([]byte, error) { return fs.ReadFile(h.files, strings.TrimPrefix(path, "/")) },
		Stat:     func(path string) (fs.FileInfo, error) { return fs.Stat(h.files, strings.TrimPrefix(path, "/")) },
		Writable: func(path string) bool { return !slices.Contains(h.denied, path) },
		Statfs: func(path string) (Disk, error) {
			d, ok := h.disks[path]
			if !ok {
				return d, errNone
			}
			return d, nil
		},
		Output: func(_ context.Context, argv ...string) (string, error) {
			out, ok := h.says[argv[0]]
			if !ok || out == "!" {
				return "", errNone
			}
			return out, nil
		},
		Look: func(path, word string) string {
			for _, dir := range strings.Split(path, ":") {
				if file := dir + "/" + word; slices.Contains(h.programs, file) {
					return file
				}
			}
			return ""
		},
		Landlock: func() (int, error) { return 4, nil },
		NoFile:   func() (uint64, error) { return 1024, nil },
		Search:   func(string) Scan { return Scan{Whole: true} },
	}
	return h
}

func input() Input {
	return Input{
		Workspace: "/w", State: "/state", Runtime: "/run/user/7/autopilot", Socket: "/run/user/7/autopilot/d.sock",
		Shell: "/home/u/.local/bin:/bin", Daemon: "/home/u/.local/bin:/bin", RuntimeOK: true, User: "u",
		Stops: 8 << 20, Begins: 32 << 20, Known: []string{"claude", "codex"},
		Agents: []wire.AgentView{{Name: "claude", Origin: "shipped", Program: "/home/u/.local/bin/claude", Version: "2.1", Login: "account"}},
		Store:  &Store{Bytes: 1 << 20, Quota: 4 << 30, Events: 12, Durability: "power", Last: noon.Add(-time.Hour)},
	}
}

func TestNothingIsWrongOnAHealthyHost(t *testing.T) {
	t.Parallel()
	for _, f := range Examine(t.Context(), input(), newHost().Probe) {
		if f.Level != OK {
			t.Errorf("%s: %s: %s", f.Level, f.Topic, f.What)
		}
	}
}

func lockedBy(pid int) func(*host, *Input) {
	return func(_ *host, in *Input) { in.Locked = &Lock{"/w/.git/index.lock", noon.Add(-3 * time.Hour), pid} }
}

func remove(names ...string) func(*host, *Input) {
	return func(h *host, _ *Input) {
		for _, n := range names {
			delete(h.files, n)
		}
	}
}

func set(name, text string) func(*host, *Input) {
	return func(h *host, _ *Input) { h.files[name] = &fstest.MapFile{Data: []byte(text)} }
}

func says(program, text string) func(*host, *Input) {
	return func(h *host, _ *Input) { h.says[program] = text }
}

func disk(path string, free uint64, kind int64) func(*host, *Input) {
	return func(h *host, _ *Input) { h.disks[path] = Disk{free, kind} }
}

func stored(s Store) func(*host, *Input) { return func(_ *host, in *Input) { in.Store = &s } }

func agent(v wire.AgentView) func(*host, *Input) {
	return func(_ *host, in *Input) { in.Agents = []wire.AgentView{v} }
}

func scan(tr Scan) func(*host, *Input) {
	return func(h *host, _ *Input) { h.Search = func(string) Scan { return tr } }
}

func no() *bool { return new(bool) }

// ills are what a host may have, and the finding that it leads to, as
// level topic: part of the text.
var ills = []struct {
	name string
	ill  func(*host, *Input)
	want string
}{
	{"no agent", agent(wire.AgentView{Name: "claude", Origin: "shipped"}), "warning agents: no agent is installed"},
	{"an agent that is not logged in", agent(wire.AgentView{Name: "codex", Program: "/bin/codex", Login: "none"}), "warning agents: codex is not logged in"},
	{
		"an agent whose problem is its login", agent(wire.AgentView{Name: "codex", Program: "/b", Login: "none", Problems: []string{"codex has no login: run codex once and log in"}}),
		"warning agents: codex: has no login",
	},
	{"a login that is not known", agent(wire.AgentView{Name: "codex", Program: "/bin/codex", Login: "unknown"}), "unknown agents: codex"},
	{"an own agent without its program", agent(wire.AgentView{Name: "mine", Origin: "project"}), "warning agents: mine: its program is not found"},
	{"an agent with a problem", agent(wire.AgentView{Name: "codex", Program: "/b", Login: "key", Problems: []string{"too old"}}), "warning agents: codex: too old"},
	{"an agent with several problems", agent(wire.AgentView{Name: "codex", Program: "/b", Login: "none", Problems: []string{"codex is too old", "a hook fails"}}), "warning agents: codex: it is not logged in; is too old; a hook fails"},
	{
		"a role whose agent is not installed", func(h *host, in *Input) {
			agent(wire.AgentView{Name: "codex", Origin: "shipped"})(h, in)
			in.Named = map[string]string{"codex": "role coder of workflow pair"}
		}, "warning agents: role coder of workflow pair needs agent codex, whose program is not found",
	},
	{
		"a role whose agent nobody knows", func(_ *host, in *Input) { in.Named = map[string]string{"codx": "role coder of workflow pair"} },
		"warning agents: role coder of workflow pair needs agent codx, and there is none",
	},
	{
		"a program that gates look for", func(_ *host, in *Input) { in.Needed = map[string]string{"bats": "workflow atdd"} },
		"warning gates: gates of workflow atdd look for bats, which is not on PATH",
	},
	{"agents without a daemon", func(_ *host, in *Input) { in.Agents = nil }, "unknown agents: claude on PATH"},
	{"no agent without a daemon", func(h *host, in *Input) { in.Agents, h.programs = nil, nil }, "warning agents: no known agent"},
	{"another PATH of the daemon", func(_ *host, in *Input) { in.Daemon = "/bin" }, "note path: the daemon's PATH differs for claude (missing there)"},
	{"an unknown PATH of the daemon", func(_ *host, in *Input) { in.Daemon = "" }, "unknown path:"},
	{"no git", says("git", "!"), "error git: git does not run"},
	{"an old git", says("git", "git version 2.35.9 (Apple)\n"), "error git: git 2.35 is too old"},
	{"a strange git", says("git", "hub 1\n"), "unknown git:"},
	{"no work tree", func(_ *host, in *Input) { in.Workspace = "" }, "note repository: this directory is in no git work tree"},
	{"a shallow clone", set("w/.git/shallow", "x"), "note repository: the repository is a shallow clone"},
	{
		"a shallow clone behind a work tree of its own",
		func(h *host, in *Input) {
			in.Workspace = "/v"
			h.disks["/v"] = h.disks["/w"]
			set("v/.git", "gitdir: /w/.git/worktrees/v\n")(h, in)
			set("w/.git/worktrees/v/commondir", "../..\n")(h, in)
			set("w/.git/shallow", "x")(h, in)
		}, "note repository: the repository is a shallow clone",
	},
	{"an index that a git has locked", lockedBy(4711), "warning repository: git's index is locked by process 4711 for 3h0m0s: git add"},
	{"an index that was left locked", lockedBy(0), "warning repository: git's index is locked for 3h0m0s, and no git is seen"},
	{"submodules", set("w/.gitmodules", "x"), "note repository: it has submodules"},
	{"git LFS", set("w/.gitattributes", "*.bin filter=lfs diff=lfs\n"), "note repository: it uses git LFS"},
	{"nested repositories", scan(Scan{Nested: []string{"a", "b", "c", "d"}, Whole: true}), "note repository: repositories within it are recorded by their commit only: a, b, c and 1 more"},
	{"huge files", scan(Scan{Large: []string{"a.iso"}, Whole: true}), "warning repository: files over 50 MiB"},
	{"a tree that is too large to search", scan(Scan{}), "unknown repository: not all"},
	{"a full disk", disk("/state", 7<<20, ext4), "error disk: 7.0 MiB free for the state: below 8.0 MiB nothing is recorded"},
	{"a nearly full disk", disk("/state", 31<<20, ext4), "error disk: 31.0 MiB free for the state: below 32.0 MiB nothing begins"},
	{"a small disk", disk("/state", 500<<20, ext4), "warning disk: 500.0 MiB free for the state"},
	{"a small disk of the work tree", disk("/w", 100<<20, ext4), "warning disk: 100.0 MiB free in the work tree"},
	{"state on NFS", disk("/state", 9*gigabit, 0x6969), "error filesystem: the state is on NFS"},
	{"state in memory", disk("/state", 9*gigabit, tmpfs), "warning filesystem: the state is in memory"},
	{"state in a container", disk("/state", 9*gigabit, overlay), "note filesystem: the state is in a container"},
	{"a work tree on SMB", disk("/w", 9*gigabit, 0xff534d42), "warning filesystem: the work tree is on CIFS"},
	{"a store that nobody looked at", func(_ *host, in *Input) { in.Store = nil }, "unknown store:"},
	{"a damaged store", stored(Store{Damage: "block 3 is gone"}), "error store: block 3 is gone"},
	{"a full store", stored(Store{Bytes: 11, Quota: 10}), "error store: the event store is full"},
	{"a nearly full store", stored(Store{Bytes: 900 << 20, Quota: 1 << 30}), "warning store: the event store is nearly full: 900.0 MiB of 1.0 GiB"},
	{"a daemon that was killed", stored(Store{Clean: no()}), "note store: the last daemon did not end cleanly"},
	{"weak durability", stored(Store{Durability: "process"}), "note store: durability is process"},
	{"a clock that was set back", stored(Store{Last: noon.Add(2 * time.Hour)}), "warning clock: the clock is 2h0m0s before the last event"},
	{"no NTP", says("timedatectl", "no\n"), "note clock: the clock is not kept by NTP"},
	{"no answer about NTP", says("timedatectl", "!"), "unknown clock:"},
	{"root", func(h *host, _ *Input) { h.UID = 0 }, "warning user: runs as root"},
	{"few files", func(h *host, _ *Input) { h.NoFile = func() (uint64, error) { return 256, nil } }, "warning files: at most 256 files"},
	{"an unknown limit of files", func(h *host, _ *Input) { h.NoFile = func() (uint64, error) { return 0, errNone } }, "unknown files:"},
	{"a long socket", func(_ *host, in *Input) { in.Socket = strings.Repeat("x", 108) }, "error runtime: the path of the socket has 108 bytes, the system takes 107"},
	{"a runtime directory that is open", func(h *host, _ *Input) {
		h.files["run/user/7/autopilot"] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
	}, "error runtime: others may enter"},
	{"no XDG_RUNTIME_DIR", func(_ *host, in *Input) { in.RuntimeOK = false }, "note runtime: XDG_RUNTIME_DIR is not set"},
	{"few watches", set("proc/sys/fs/inotify/max_user_watches", "8192\n"), "note inotify: 8192 file watches"},
	{"few watchers", set("proc/sys/fs/inotify/max_user_instances", "64\n"), "note inotify: 64 file watchers"},
	{"an unknown limit of watches", set("proc/sys/fs/inotify/max_user_watches", "many\n"), "unknown inotify:"},
	{"cgroup v1", remove("sys/fs/cgroup/cgroup.controllers"), "note cgroup: no cgroup v2"},
	{"a cgroup that is not delegated", func(h *host, _ *Input) { h.denied = []string{"/sys/fs/cgroup/user.slice/a/cgroup.procs"} }, "note cgroup: v2, but not delegated"},
	{"an unknown cgroup", set("proc/self/cgroup", "1:name=systemd:/\n"), "unknown cgroup:"},
	{"no PSI", remove("proc/pressure/memory"), "note pressure:"},
	{"user namespaces off", set("proc/sys/user/max_user_namespaces", "0\n"), "note namespaces: user namespaces are off"},
	{"user namespaces for root only", set("proc/sys/kernel/unprivileged_userns_clone", "0\n"), "note namespaces: user namespaces are denied"},
	{"user namespaces by AppArmor", set("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n"), "note namespaces: user namespaces are denied"},
	{"unknown namespaces", remove("proc/sys/user/max_user_namespaces"), "unknown namespaces:"},
	{"no Landlock", func(h *host, _ *Input) { h.Landlock = func() (int, error) { return 0, errNone } }, "note landlock:"},
	{"no systemd", says("systemctl", "!"), "note service: no systemd of this user"},
	{"a degraded systemd is one", func(h *host, in *Input) {
		says("systemctl", "degraded\n")(h, in)
		remove("var/lib/systemd/linger/u")(h, in)
	}, "note service: services of this user end with its last login"},
	{"an unknown user", func(_ *host, in *Input) { in.User = "" }, "unknown service:"},
}

func TestEachIllIsFoundAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range ills {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, in := newHost(), input()
			c.ill(h, &in)
			var bad []string
			for _, f := range Examine(t.Context(), in, h.Probe) {
				if f.Level != OK {
					bad = append(bad, f.Level+" "+f.Topic+": "+f.What)
				}
				if f.Level == Error && f.Fix == "" {
					t.Errorf("an error without a fix: %s", f.What)
				}
			}
			if len(bad) != 1 || !strings.HasPrefix(bad[0], c.want) {
				t.Errorf("found %q, want one that begins with %q", bad, c.want)
			}
		})
	}
}

func TestADiskThatCannotBeMeasuredIsUnknown(t *testing.T) {
	t.Parallel()
	h := newHost()
	h.disks = nil
	for _, f := range Examine(t.Context(), input(), h.Probe) {
		if (f.Topic == "disk" || f.Topic == "filesystem") && f.Level != Unknown {
			t.Errorf("%s: %s: %s", f.Level, f.Topic, f.What)
		}
	}
}

func TestTheWorstComesFirst(t *testing.T) {
	t.Parallel()
	h, in := newHost(), input()
	in.Store = nil
	h.says["git"] = "!"
	h.UID = 0
	in.RuntimeOK = false
	var got []string
	for _, f := range Examine(t.Context(), in, h.Probe) {
		if !slices.Contains(got, f.Level) {
			got = append(got, f.Level)
		}
	}
	if diff := cmp.Diff([]string{Error, Warning, Note, Unknown, OK}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLimitsOfLinuxAreNotLookedForElsewhere(t *testing.T) {
	t.Parallel()
	h := newHost()
	h.GOOS = "darwin"
	for _, f := range Examine(t.Context(), input(), h.Probe) {
		if slices.Contains([]string{"inotify", "cgroup", "pressure", "namespaces", "landlock", "service"}, f.Topic) {
			t.Errorf("found %+v", f)
		}
	}
}

func TestASearchFindsRepositoriesAndLargeFilesAndFollowsNoLink(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	outside := t.TempDir()
	for _, dir := range []string{".git", "lib/inner/.git", "node_modules/x/.git"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(root, "a.bin"), filepath.Join(outside, "b.bin"), filepath.Join(root, "node_modules/c.bin")} {
		if err := os.WriteFile(file, make([]byte, 11), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	want := Scan{Nested: []string{"lib/inner"}, Large: []string{"a.bin"}, Whole: true}
	if diff := cmp.Diff(want, System(noon, 10).Search(root)); diff != "" {
		t.Error(diff)
	}
}

func TestThisHostCanBeLookedAt(t *testing.T) {
	t.Parallel()
	in := Input{State: filepath.Join(t.TempDir(), "not", "there"), Shell: os.Getenv("PATH")}
	topics := map[string]bool{}
	for _, f := range Examine(t.Context(), in, System(time.Now(), 1<<20)) {
		topics[f.Topic] = true
		if !slices.Contains(levels, f.Level) || f.What == "" {
			t.Errorf("finding %+v", f)
		}
	}
	for _, topic := range []string{"git", "disk", "user", "files", "clock"} {
		if !topics[topic] {
			t.Errorf("nothing about %s", topic)
		}
	}
}
