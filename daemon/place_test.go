package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/events/wire"
)

// marks is a gate that fails, and names each place where an earlier round has left
// something. The baseline leaves nothing there but a folder.
const marks = `
mkdir -p "$XDG_CACHE_HOME/there"
for d in "$HOME" "${XDG_CONFIG_HOME:-$HOME/.config}" "$HOME/.local/lib/python3.11/site-packages" "${TMPDIR:-/tmp/never}" \
	"$XDG_CACHE_HOME" "$XDG_CACHE_HOME/there" "$PIP_CACHE_DIR/wheels" "$npm_config_cache/_cacache/index-v5" "$YARN_CACHE_FOLDER" \
	"$PYTHONPYCACHEPREFIX/usr/lib" "$GOCACHE/00" "$CARGO_HOME" "$GRADLE_USER_HOME"; do
	if test -e "$d/mark"; then echo "FOUND $d"; fi
	if test -e work; then mkdir -p "$d"; : > "$d/mark"; fi
done
exit 1
`

// A gate that passes when an earlier round has left something for it proves
// nothing of the work.
func TestARoundOfGatesFindsNothingOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for range 2 {
		st := s.play(s.spec(marks, "echo $AUTOPILOT_ITERATION >> work", func(r *wire.RunSpec) { r.MaxIterations = 2 }))
		s.wants(st, "halted:iterations")
		if said := s.why(st.ID).LastError; strings.Contains(said, "FOUND") {
			t.Error(said)
		}
		if err := os.Remove(filepath.Join(s.work, "work")); err != nil {
			t.Fatal(err)
		}
	}
}

// What the gates of the baseline have downloaded and compiled is the person's own
// product's, and stays.
func TestCachesOfTheBaselineAreWarm(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec(`if test -f ok; then test -f "$XDG_CACHE_HOME/tool/data"; else mkdir -p "$XDG_CACHE_HOME/tool"; : > "$XDG_CACHE_HOME/tool/data"; exit 1; fi`, "touch ok"))
	s.wants(st, "done")
}

func TestTwoGatesOfARoundHaveAHomeOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec(`test -f ok && echo planted > "$HOME/mark"`, "touch ok", invariant("other", `! test -e "$HOME/mark"`)))
	s.wants(st, "done")
}

func TestARunThatIsOverLeavesNoTemporaryFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	seen := filepath.Join(t.TempDir(), "seen")
	st := s.play(s.spec(`printf %s "$TMPDIR" > `+seen+`; : > "$TMPDIR/left"; test -f ok`, "touch ok"))
	s.wants(st, "done")
	dir, err := os.ReadFile(seen)
	if err != nil || len(dir) == 0 {
		t.Fatalf("the gate saw %q, %v", dir, err)
	}
	if _, err := os.Lstat(string(dir)); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
}
