package claim

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
)

func TestWhatCanBeClaimed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"workspace":                             "workspace",
		"branch:fix/x":                          "branch:fix/x",
		"branch:refs/heads/fix/x":               "branch:fix/x",
		"issue:24":                              "issue:24",
		"merge:main":                            "merge:main",
		"branch:a:b":                            "branch:a:b",
		"":                                      "",
		"branch":                                "",
		"branch:":                               "",
		"branch: ":                              "",
		"branch:refs/heads/":                    "",
		"branch:refs/remotes/origin/x":          "",
		"merge:refs/tags/v1":                    "",
		"issue:refs/1":                          "issue:refs/1",
		"workspace:x":                           "",
		"workspace:":                            "",
		"Branch:x":                              "",
		"lock:x":                                "",
		"branch:a\nb":                           "",
		"branch:\x1b[31m":                       "",
		"branch:\xff":                           "",
		"branch:" + strings.Repeat("x", 201):    "",
		"issue:" + strings.Repeat("9", 200):     "issue:" + strings.Repeat("9", 200),
		"branch:" + strings.Repeat("x", 10<<10): "",
		"branch:..":                             "branch:..", // a name and no path: it is only hashed
		"issue:../../etc/passwd":                "issue:../../etc/passwd",
		"issue:PROJ 12":                         "issue:PROJ 12",
		"branch:main ":                          "",
		"branch: main":                          "",
		"issue:PROJ  12":                        "",
		"branch:main\u00a0x":                    "",
		"branch:ma\u200bin":                     "", // nothing of it is seen
		"branch:\u202eniam":                     "", // read backwards
		"branch:a\u2028b":                       "",
		"branch:a\x00b":                         "",
		"branch:a\tb":                           "",
		"branch:\u3042/\u65e5\u672c\u8a9e":      "branch:\u3042/\u65e5\u672c\u8a9e",
	} {
		k, err := Parse(text)
		var bad *KeyError
		if want == "" && !errors.As(err, &bad) || want != "" && (err != nil || k.String() != want) {
			t.Errorf("%q: %q, %v", text, k, err)
		}
	}
}

// Q32, A40.
func TestTwoKeysThatDifferAreTwoClaims(t *testing.T) {
	t.Parallel()
	seen := map[string]Key{}
	for _, k := range []Key{
		{events.ClaimBranch, "/r", "a/b"},
		{events.ClaimBranch, "/r", "a_b"},
		{events.ClaimBranch, "/r2", "a/b"},
		{events.ClaimMerge, "/r", "a/b"},
		{events.ClaimBranch, "/ra", "/b"},
		{events.ClaimBranch, "/r", "a:b"},
		{events.ClaimIssue, "/r", "a/b"},
		{events.ClaimBranch, "/r", "A/b"},
		{events.ClaimBranch, "/r", "\u0430/b"},   // the Cyrillic letter
		{events.ClaimBranch, "/r", "caf\u00e9"},  // one character
		{events.ClaimBranch, "/r", "cafe\u0301"}, // two, for git as well
		{events.ClaimBranch, "/r", "fix~1"},
		{events.ClaimBranch, "/r", "fix.1"},
		{events.ClaimBranch, "/r", "fix#1"},
		{events.ClaimBranch, "/r", "fix 1"},
	} {
		if other, ok := seen[k.ID()]; ok {
			t.Errorf("%v and %v are one", k, other)
		}
		seen[k.ID()] = k
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n string) Key {
			return Key{events.ClaimKind(rapid.String().Draw(t, n+"kind")), rapid.String().Draw(t, n+"scope"), rapid.String().Draw(t, n+"name")}
		}
		if a, b := draw("a"), draw("b"); (a == b) != (a.ID() == b.ID()) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

func TestAKeyIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	k := Key{events.ClaimBranch, "/home/me/\u65e5", "fix/x"}
	b, err := k.Text()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readKey(b); err != nil || got != k {
		t.Errorf("%+v, %v", got, err)
	}
}

var dawn = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

// stateDir is a state directory with the name of its host.
func stateDir(t *testing.T, host string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "host"), []byte(host), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func as(state, host string, at time.Time) Info {
	return Info{State: state, Host: host, PID: 7, Who: "run k3xq", Since: dawn, Beat: at, TTL: 7200}
}

func TestAMarkIsOfOneStateDirectoryAtATime(t *testing.T) {
	t.Parallel()
	path := MarkFile(t.TempDir(), "ab")
	one, two := stateDir(t, "h1"), stateDir(t, "h2")
	m, err := Hold(path, as(one, "h1", dawn))
	if err != nil {
		t.Fatal(err)
	}
	var held *MarkedError
	if _, err := Hold(path, as(two, "h2", dawn.Add(9*time.Hour))); !errors.As(err, &held) || !held.Locked || held.Info.State != one || held.Info.Who != "run k3xq" {
		t.Fatalf("beside a live daemon, however old its beat: %v", err)
	}
	if seen, err := Look(path, as(two, "h2", dawn)); err != nil || seen == nil || !seen.Locked {
		t.Errorf("a look from elsewhere: %v, %v", seen, err)
	}
	if seen, err := Look(path, as(one, "h1", dawn)); err != nil || seen != nil {
		t.Errorf("a look from its own: %v, %v", seen, err)
	}
	if err := clearMark(path, as(two, "h2", dawn)); !errors.As(err, &held) {
		t.Errorf("cleared beside a live daemon: %v", err)
	}
	if err := m.Release(); err != nil {
		t.Fatal(err)
	}
	m, err = Hold(path, as(two, "h2", dawn))
	if err != nil {
		t.Fatalf("given back: %v", err)
	}
	if err := m.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestADaemonThatHasEndedComesBackForItsMark(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		after time.Duration
		own   bool
		gone  bool
		free  bool
	}{
		"another, in time":                 {after: 2*time.Hour - 1},
		"another, exactly when it is over": {after: 2 * time.Hour, free: true},
		"itself":                           {own: true, free: true},
		"another, as the state directory is no more":    {gone: true, free: true},
		"another, whose clock is an hour behind of its": {after: -time.Hour},
	} {
		path := MarkFile(t.TempDir(), "ab")
		one, two := stateDir(t, "h1"), stateDir(t, "h2")
		m, err := Hold(path, as(one, "h1", dawn))
		if err == nil {
			err = m.Keep()
		}
		if err == nil && tt.gone {
			err = os.RemoveAll(one)
		}
		if err != nil {
			t.Fatal(err)
		}
		who := as(two, "h2", dawn.Add(tt.after))
		if tt.own {
			who = as(one, "h1", dawn.Add(tt.after))
		}
		seen, lerr := Look(path, who)
		m, err = Hold(path, who)
		if (err == nil) != tt.free || lerr != nil || (seen == nil) != tt.free {
			t.Errorf("%s: %v; a look %v, %v", name, err, seen, lerr)
		}
		if err != nil { // a person has it cleared
			if err := clearMark(path, who); err != nil {
				t.Errorf("%s: clear: %v", name, err)
			}
			if m, err = Hold(path, who); err != nil {
				t.Errorf("%s: cleared: %v", name, err)
				continue
			}
		}
		if err := m.Release(); err != nil {
			t.Error(err)
		}
	}
}

func TestAMarkThatSaysNothingIsFreeAndAStrangeOneIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(victim, "mine")
	for name, tt := range map[string]struct {
		make func(path string)
		want error
	}{
		"text":        {func(p string) { write(p, "{not json") }, nil},
		"an array":    {func(p string) { write(p, "[]") }, nil},
		"a link":      {func(p string) { _ = os.Symlink(victim, p) }, errStrange},
		"a hard link": {func(p string) { _ = os.Link(victim, p) }, errStrange},
		"a folder":    {func(p string) { _ = os.Mkdir(p, 0o700) }, errStrange},
	} {
		path := MarkFile(dir, strings.ReplaceAll(name, " ", ""))
		tt.make(path)
		m, err := Hold(path, as(dir, "h1", dawn))
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		if m != nil {
			_ = m.Release()
		}
	}
	if b, err := os.ReadFile(victim); err != nil || string(b) != "mine" {
		t.Errorf("the file that links lead to: %q, %v", b, err)
	}
}

// TestWhoLooksIsNoHolder: a mark that somebody looks at is free a moment later.
func TestWhoLooksIsNoHolder(t *testing.T) {
	t.Parallel()
	path := MarkFile(t.TempDir(), "ab")
	looker, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(looker.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	if seen, err := Look(path, as("/s", "h1", dawn)); err != nil || seen != nil {
		t.Errorf("a second look: %v, %v", seen, err)
	}
	time.AfterFunc(3*moment, func() { _ = looker.Close() })
	m, err := Hold(path, as("/s", "h1", dawn))
	if err != nil {
		t.Fatal(err)
	}
	_ = m.Release()
}

// TestWhatAMarkSaysIsOneWordOfAHint: a mark is a file that others can write to.
func TestWhatAMarkSaysIsOneWordOfAHint(t *testing.T) {
	t.Parallel()
	err := new(Service).Fault(&MarkedError{Info: Info{State: "/s\x01; rm -rf ~", Who: "run x"}, Locked: true})
	var told *wire.Error
	if want := "AUTOPILOT_STATE='/s\x01; rm -rf ~' apctl ls "; !errors.As(err, &told) || !strings.HasPrefix(told.Hint, want) {
		t.Errorf("the hint of %v is %q, want %q first", err, told.Hint, want)
	}
}

func TestAKeyIsOneWordOfAHint(t *testing.T) {
	t.Parallel()
	_, err := new(Service).Take(t.Context(), auth.Request{}, wire.ClaimRequest{Key: "issue:it's 7", TTL: 1})
	var told *wire.Error
	if want := `apctl peer take 'issue:it'\''s 7' --ttl 2h`; !errors.As(err, &told) || told.Hint != want {
		t.Errorf("the hint of %v is %q, want %q", err, told.Hint, want)
	}
}
