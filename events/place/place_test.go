package place_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"autopilot/events/place"
)

func env(uid int, home string, pairs ...string) place.Env {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return place.Env{
		Getenv: func(k string) string { return m[k] }, UID: uid, GOOS: "linux",
		Home: func() (string, error) {
			if home == "" {
				return "", errors.New("no such user")
			}
			return home, nil
		},
	}
}

func TestPlacesFollowTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		env  place.Env
		want place.Places
	}{
		{
			"HOME alone", env(7, "", "HOME", "/home/u"),
			place.Places{State: "/home/u/.local/state/autopilot", Runtime: "/tmp/autopilot-7/6ba56d4d", Socket: "/tmp/autopilot-7/6ba56d4d/d.sock", Dial: "/tmp/autopilot-7/6ba56d4d/d.sock", Config: "/home/u/.config/autopilot/config.yaml"},
		},
		{
			"XDG directories win", env(7, "", "HOME", "/home/u", "XDG_STATE_HOME", "/s", "XDG_RUNTIME_DIR", "/r", "XDG_CONFIG_HOME", "/c"),
			place.Places{State: "/s/autopilot", Runtime: "/r/autopilot/13d5e7ca", Socket: "/r/autopilot/13d5e7ca/d.sock", Dial: "/r/autopilot/13d5e7ca/d.sock", Config: "/c/autopilot/config.yaml"},
		},
		{
			"relative XDG directories are ignored", env(7, "", "HOME", "/home/u", "XDG_STATE_HOME", "s", "XDG_RUNTIME_DIR", "r", "XDG_CONFIG_HOME", "c"),
			place.Places{State: "/home/u/.local/state/autopilot", Runtime: "/tmp/autopilot-7/6ba56d4d", Socket: "/tmp/autopilot-7/6ba56d4d/d.sock", Dial: "/tmp/autopilot-7/6ba56d4d/d.sock", Config: "/home/u/.config/autopilot/config.yaml"},
		},
		{
			"without HOME the passwd entry", env(7, "/home/p"),
			place.Places{State: "/home/p/.local/state/autopilot", Runtime: "/tmp/autopilot-7/RT", Socket: "/tmp/autopilot-7/RT/d.sock", Dial: "/tmp/autopilot-7/RT/d.sock", Config: "/home/p/.config/autopilot/config.yaml"},
		},
		{
			"an effect dials its own socket", env(7, "", "AUTOPILOT_STATE", "/s/../t", "XDG_RUNTIME_DIR", "/r", "AUTOPILOT_SOCKET", "/x.sock"),
			place.Places{State: "/t", Runtime: "/r/autopilot/RT", Socket: "/r/autopilot/RT/d.sock", Dial: "/x.sock"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := place.Find(tc.env)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Runtime = filepath.Join(filepath.Dir(tc.want.Runtime), filepath.Base(got.Runtime))
			if len(filepath.Base(got.Runtime)) != 8 {
				t.Errorf("runtime directory %s does not end in 8 digits", got.Runtime)
			}
			tc.want.Socket = filepath.Join(tc.want.Runtime, "d.sock")
			if !strings.HasPrefix(tc.want.Dial, "/x") {
				tc.want.Dial = tc.want.Socket
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(place.Places{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTwoStatesNeverShareASocket(t *testing.T) {
	t.Parallel()
	a, err := place.Find(env(7, "", "AUTOPILOT_STATE", "/a"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := place.Find(env(7, "", "AUTOPILOT_STATE", "/b"))
	if err != nil {
		t.Fatal(err)
	}
	if a.Socket == b.Socket {
		t.Errorf("both listen on %s", a.Socket)
	}
	one, err := a.EffectSocket("01J-one")
	if err != nil {
		t.Fatal(err)
	}
	two, err := a.EffectSocket("01J-two")
	if err != nil {
		t.Fatal(err)
	}
	if one == two || one == a.Socket {
		t.Errorf("effects listen on %s and %s", one, two)
	}
}

func TestBadEnvironmentGetsAClearError(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("r", 90)
	for _, tc := range []struct {
		name string
		env  place.Env
		want []string
	}{
		{"no home at all", env(7, ""), []string{"HOME is not set", "user 7", "set HOME or AUTOPILOT_STATE"}},
		{"relative state", env(7, "", "AUTOPILOT_STATE", "x"), []string{`AUTOPILOT_STATE is "x"`, "absolute"}},
		{"long runtime directory", env(7, "", "HOME", "/h", "XDG_RUNTIME_DIR", long), []string{long + "/autopilot/", "107", "XDG_RUNTIME_DIR"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := place.Find(tc.env)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
	mac := env(7, "", "HOME", "/h", "XDG_RUNTIME_DIR", "/"+strings.Repeat("r", 78))
	mac.GOOS = "darwin"
	if _, err := place.Find(mac); !errors.Is(err, place.ErrSocketPath) {
		t.Errorf("darwin: got %v, want ErrSocketPath", err)
	}
}

func TestStateIsFoundThroughLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	sockets := map[string]bool{}
	for _, name := range []string{"real", "link"} {
		e := env(7, "", "AUTOPILOT_STATE", filepath.Join(dir, name, "not", "yet"))
		e.Real = place.System().Real
		p, err := place.Find(e)
		if err != nil {
			t.Fatal(err)
		}
		sockets[p.Socket] = true
	}
	if len(sockets) != 1 {
		t.Errorf("one state has %d sockets", len(sockets))
	}
}

func TestRuntimeDirectoryIsPrivate(t *testing.T) {
	t.Parallel()
	find := func(t *testing.T, uid int) (place.Places, string) {
		t.Helper()
		dir, err := os.MkdirTemp("", "p") // t.TempDir is too long for a socket
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		p, err := place.Find(env(uid, "", "AUTOPILOT_STATE", "/s", "XDG_RUNTIME_DIR", dir))
		if err != nil {
			t.Fatal(err)
		}
		return p, dir
	}
	t.Run("made with mode 0700, twice without harm", func(t *testing.T) {
		t.Parallel()
		p, _ := find(t, os.Getuid())
		for range 2 {
			if err := p.MakeRuntime(); err != nil {
				t.Fatal(err)
			}
		}
		fi, err := os.Stat(p.Runtime)
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm() != 0o700 {
			t.Errorf("mode is %v", fi.Mode())
		}
	})
	t.Run("a loose mode is closed", func(t *testing.T) {
		t.Parallel()
		p, _ := find(t, os.Getuid())
		if err := p.MakeRuntime(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p.Runtime, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := p.MakeRuntime(); err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(p.Runtime); err != nil || fi.Mode().Perm() != 0o700 {
			t.Errorf("mode is %v, %v", fi.Mode(), err)
		}
	})
	t.Run("a shared directory around it is left open", func(t *testing.T) {
		t.Parallel()
		p, _ := find(t, os.Getuid())
		shared := t.TempDir()
		if err := os.Chmod(shared, 0o777|os.ModeSticky); err != nil {
			t.Fatal(err)
		}
		p.Runtime = filepath.Join(shared, "r")
		if err := p.MakeRuntime(); err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(shared); err != nil || fi.Mode().Perm() != 0o777 {
			t.Errorf("mode is %v, %v", fi.Mode(), err)
		}
	})
	t.Run("a link is refused", func(t *testing.T) {
		t.Parallel()
		p, dir := find(t, os.Getuid())
		if err := os.Symlink(t.TempDir(), filepath.Join(dir, "autopilot")); err != nil {
			t.Fatal(err)
		}
		if err := p.MakeRuntime(); !errors.Is(err, place.ErrUnsafe) {
			t.Errorf("got %v, want ErrUnsafe", err)
		}
	})
	t.Run("another owner is refused", func(t *testing.T) {
		t.Parallel()
		p, _ := find(t, os.Getuid()+1)
		if err := p.MakeRuntime(); !errors.Is(err, place.ErrUnsafe) {
			t.Errorf("got %v, want ErrUnsafe", err)
		}
	})
}
