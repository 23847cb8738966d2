package daemon

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// holding lists the files below the state that hold one of the values: the
// environment of a run that is not over may, at the place that is made for it.
func (s *site) holding(values ...string) []string {
	s.t.Helper()
	var found []string
	err := filepath.WalkDir(s.cfg.Places.State, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.cfg.Places.State, path)
		for _, v := range values {
			if bytes.Contains(b, []byte(v)) && !slices.Contains(found, rel) {
				found = append(found, rel)
			}
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

const (
	inVariable = "q8Zr-4tYw/1mNv+x0Lk"
	inConfig   = "hunter2-of-the-house"
	byShape    = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	// In a command it is in two parts: commands are stored as they are given.
	inCommand = `ghp_abcdefghijklm""nopqrstuvwxyz0123456789`
)

// inForms is every form in which the agent of a test prints a value.
func inForms(value string) []string {
	b64 := base64.StdEncoding.EncodeToString([]byte(value))
	return []string{value, b64[:len(b64)/4*4-4], hex.EncodeToString([]byte(value))}
}

// tells is an agent that prints and writes its secrets in every way.
const tells = `env
printf %s "${MY_TOKEN%??????}"; sleep 0.05; printf '%s\n' "${MY_TOKEN#?????????????}"
printf %s "$MY_TOKEN" | base64
printf %s "$MY_TOKEN" | od -An -v -tx1 | tr -d ' \n'; echo
echo "$SITE_NAME and ` + inCommand + `"
key="` + inCommand + `"
box=$(dirname "$AUTOPILOT_RESULT_FILE")
env > "$box/dump"; mkdir "$box/more"; env > "$box/more/dump"; env > "$box/outbox/note"
grep -c "$MY_TOKEN" "$AUTOPILOT_PROMPT_FILE"
printf '{"v":1,"claim":"blocked","summary":"it is %s","reason":"is %s or %s right?"}' "$MY_TOKEN" "$SITE_NAME" "$key" > "$AUTOPILOT_RESULT_FILE"
echo "$AUTOPILOT_ITERATION" > n`

// A secret is nowhere below the state: not in a spool, a text, the box of an
// agent, an event or a record of an effect (Field reports, B-56, B-100, and B.8
// env-leak and print-secret-split).
func TestNoSecretOfARunIsStored(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	if err := os.MkdirAll(filepath.Dir(s.cfg.Places.Config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.cfg.Places.Config, []byte("redact: {env: [SITE_NAME]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	q := s.spec(`echo "gate has `+inCommand+`"; test -f ok`, tells, func(r *wire.RunSpec) {
		r.Task = "use " + inVariable + " and " + byShape
	})
	q.Env = append(q.Env, "MY_TOKEN="+inVariable, "SITE_NAME="+inConfig)
	st := s.play(q)
	s.wants(st, "halted:needs-person")
	secrets := slices.Concat(inForms(inVariable), inForms(inConfig), []string{byShape})
	if w := s.why(st.ID); w.Question != "is [redacted SITE_NAME] or [redacted] right?" {
		t.Errorf("question %q", w.Question)
	}
	if n := st.Last.Agent.Redacted; n < 7 {
		t.Errorf("%d secrets were taken out of what the agent printed", n)
	}
	runs := filepath.Join("runs", st.ID+".json")
	if got := s.holding(secrets...); !slices.Equal(got, []string{runs}) {
		t.Errorf("while the run waits, secrets are in %q; they belong into %s alone", got, runs)
	}
	// What a person says goes the same way, also to a daemon that has not looked at
	// the run yet.
	s.close()
	s.open()
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "yes, " + inVariable}); err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(st.ID, func(st run.State) bool { return settled(st) && st.Loop.Iteration == 2 }), "halted:needs-person")
	if got := s.holding(secrets...); !slices.Equal(got, []string{runs}) {
		t.Errorf("after a note secrets are in %q", got)
	}
	s.stop(st.ID, events.StopCancel)
	s.close()
	if got := s.holding(secrets...); len(got) > 0 {
		t.Errorf("when the run is over, secrets are in %q", got)
	}
}

func TestTheValuesOfGateVariablesAreNotStored(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	const value = "of-the-gate-7Yt5"
	if err := os.MkdirAll(filepath.Dir(s.cfg.Places.Config), 0o700); err != nil {
		t.Fatal(err)
	}
	src := "gate: {env: {DB_PASSWORD: " + value + "}}\n"
	if err := os.WriteFile(s.cfg.Places.Config, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	st := s.play(s.spec(`echo "connect with $DB_PASSWORD"; grep -q 2 n`, `echo "$AUTOPILOT_ITERATION" > n; cat "$(dirname "$AUTOPILOT_PROMPT_FILE")"/* >> seen`))
	s.wants(st, "done")
	if seen := s.read("seen"); !strings.Contains(seen, "connect with [redacted DB_PASSWORD]") || strings.Contains(seen, value) {
		t.Errorf("the agent was told %q", seen)
	}
	s.close()
	config := filepath.Base(filepath.Dir(s.cfg.Places.Config)) + "/" + filepath.Base(s.cfg.Places.Config)
	got := slices.DeleteFunc(s.holding(value), func(f string) bool { return strings.HasSuffix(f, config) })
	if len(got) > 0 {
		t.Errorf("it is in %q", got)
	}
}

func TestALongTaskIsNotKeptAsItWasSent(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	ref, err := s.d.Blobs.Put(t.Context(), []byte(strings.Repeat("a long task\n", 1000)+inVariable))
	if err != nil {
		t.Fatal(err)
	}
	q := s.spec("test -f ok", "touch ok", func(r *wire.RunSpec) { r.Task, r.TaskRef = "", ref })
	q.Env = append(q.Env, "MY_TOKEN="+inVariable)
	s.wants(s.play(q), "done")
	s.close()
	if got := s.holding(inVariable); len(got) > 0 {
		t.Errorf("it is in %q", got)
	}
}
