package daemon

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth/person"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
)

// secretsOfHeld stand in the held-out files, their names and their command.
var secretsOfHeld = []string{secretWord, "hidden", "vault", "coffer"}

func hides(t *testing.T, what, text string) {
	t.Helper()
	for _, word := range secretsOfHeld {
		if strings.Contains(text, word) {
			t.Errorf("%s tells of %s:\n%s", what, word, text)
		}
	}
}

// playHeld plays an agent that special-cases the visible test, and then does as it was
// told. It looks for held-out files after the first round.
func playHeld(t *testing.T, edit ...func(*Config)) {
	s := newSite(t, nil)
	for _, f := range edit {
		f(&s.cfg)
	}
	if len(edit) > 0 {
		s.close()
		s.open()
	}
	look := `{ cat; ls -aR . ` + s.cfg.Places.State + `; grep -rl ` + secretWord + ` "$PWD" ` + s.cfg.Places.State + `; } > found.$AUTOPILOT_ITERATION 2> /dev/null
		if [ $AUTOPILOT_ITERATION = 1 ]; then ` + special + `; else ` + general + `; fi`
	st := s.play(s.spec(visible, look, holdsOut(held(t), acceptRun)))
	s.wants(st, "done")
	if st.Loop.Iteration != 2 {
		t.Errorf("done after iteration %d", st.Loop.Iteration)
	}
	second := s.read("found.2")
	if !strings.Contains(second, "Held-out gate accept: failed (2 of 3)") {
		t.Errorf("the agent was told:\n%s", second)
	}
	hides(t, "the host of the agent", strings.ReplaceAll(s.read("found.1")+second, "hidden tests", ""))
	s.noCheckout()
}

// TestHeldOutFilesOnAHostThatLaysNothingOver judges in a clean checkout.
func TestHeldOutFilesOnAHostThatLaysNothingOver(t *testing.T) {
	t.Parallel()
	playHeld(t, func(c *Config) { c.copies = true })
}

const heldChild = "DAEMON_TEST_HELD"

// TestHeldOutFilesOfAUserWithoutRights runs itself as another user, if this one is root.
func TestHeldOutFilesOfAUserWithoutRights(t *testing.T) {
	if os.Getenv(heldChild) != "" {
		playHeld(t)
		return
	}
	t.Parallel()
	base, err := os.MkdirTemp("/tmp", "held-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) }) // what is left is below /tmp
	shim := filepath.Join(base, "apshim")
	if err := errors.Join(os.Chmod(base, 0o777), exec.Command("cp", shimPath, shim).Run()); err != nil {
		t.Fatal(err)
	}
	proctest.AsNobody(t, base, "PATH="+os.Getenv("PATH"), "HOME="+base, "TMPDIR="+base, heldChild+"=1", proctest.ShimVariable+"="+shim)
}

func TestAHeldOutFolderThatGitTracksIsRefused(t *testing.T) {
	t.Parallel()
	for where, args := range map[string][][]string{
		"the index":  {{"add", "coffer"}},
		"the commit": {{"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"}, {"rm", "-rq", "--cached", "coffer"}},
		"":           nil,
	} {
		s := newSite(t, map[string]string{"coffer/hidden.sh": "exit 0\n"})
		for _, a := range args {
			if out, err := exec.Command("git", append([]string{"-C", s.work}, a...)...).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
		}
		_, err := s.d.api.RunStart(t.Context(), s.request(), s.spec(visible, general, holdsOut(filepath.Join(s.work, "coffer"), "sh hidden.sh")))
		if where == "" {
			if err != nil {
				t.Errorf("not tracked: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "git shows them to every agent") {
			t.Errorf("in %s: %v", where, err)
		}
	}
}

func TestAChatLearnsOfAHeldOutGateThatItFailsAndACount(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	dir := held(t)
	c := s.chat()
	v := c.joins(s.ordered(func(r *wire.RunSpec) {
		holdsOut(dir, acceptRun)(r)
		r.Gates = []wire.GateSpec{{Name: "goal", Role: events.RoleGoal, Command: visible}}
	}))
	first := c.work()
	s.write(map[string]string{"add.sh": "echo 3\n"})
	taken, err := c.submit(delivery(first, "done"))
	if err != nil {
		t.Fatal(err)
	}
	again := c.work()
	var says string
	for _, f := range again.Findings {
		if f.Gate == "accept" {
			says = f.Text
		}
	}
	if !strings.Contains(says, "failed (2 of 3)") {
		t.Errorf("findings %+v", again.Findings)
	}
	why, err := s.d.api.RunWhy(t.Context(), c.request(), wire.RunRef{Run: v.Run.ID})
	if err != nil || why.HeldOut != nil {
		t.Errorf("%+v, %v", why.HeldOut, err)
	}
	text, err := json.Marshal([]any{v, first, taken, again, why})
	if err != nil {
		t.Fatal(err)
	}
	hides(t, "what the chat is told", string(text))
	hides(t, "the outputs for the chat", s.told(c.request(), s.state(v.Run.ID)))
	const shell = 77
	c.table.add(person.Process{PID: shell, Start: shell, UID: os.Getuid(), Program: "/usr/bin/apctl"})
	q := s.request()
	q.PID, q.Start = shell, shell
	why, err = s.d.api.RunWhy(t.Context(), q, wire.RunRef{Run: v.Run.ID})
	if err != nil || why.HeldOut == nil || why.HeldOut.Dir != dir || len(why.HeldOut.Printed) != 1 || !strings.Contains(why.HeldOut.Printed[0].Text, secretWord) {
		t.Errorf("a person sees %+v, %v", why.HeldOut, err)
	}
}
