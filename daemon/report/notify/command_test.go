package notify

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"autopilot/events/wire"
)

func TestACommandReadsTheNotificationFromItsStandardInput(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(), Rule{On: []string{"halted"}, Run: "cat > got.json; env > env"})
	n := b.notice(1, Halted)
	b.add(b.notice(2, Done), n)
	b.settled()
	var got struct {
		Schema  string
		Version int
		Data    wire.Notification
	}
	if err := json.Unmarshal([]byte(b.file("got.json")), &got, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	d := got.Data
	if got.Schema != "autopilot.notification" || got.Version != 1 || d.Key != n.Key || d.Kind != "halted" ||
		d.Line != n.Line || d.Next != n.Next || d.Run == nil || d.Run.ID != n.Run {
		t.Errorf("got %+v", got)
	}
	if !strings.Contains(b.file("env"), "AUTOPILOT_EFFECT=notify-") {
		t.Error("the command is not marked as an effect")
	}
}

// Lesson A47: a notifier that fails is not passed over in silence.
func TestCommandsThatFailAreLoggedAndHoldNobodyUp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, run, want string }{
		{"hangs", "echo before; sleep 300", "took longer than 200ms and was ended: before"},
		{"forks children that stay", "sh -c 'echo $$ > pid; exec sleep 300' & wait", "took longer than 200ms and was ended"},
		{"prints 10 MB", "head -c 10000000 /dev/zero | tr '\\0' x; echo the end; exit 3", "exited with 3"},
		{"does not exist", "/nonexistent/notifier", "exited with 127"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			timing := quick()
			timing.Command = 200 * time.Millisecond
			if tc.name == "prints 10 MB" {
				timing.Command = time.Minute
			}
			b := newBench(t, timing, Rule{Run: tc.run}, Rule{Run: "cat >> other"})
			b.add(b.notice(1, Halted))
			b.settled()
			b.logged("a notification was given up", tc.want)
			if len(b.log.String()) > 20<<10 {
				t.Errorf("the log has %d bytes", len(b.log.String()))
			}
			if !strings.Contains(b.file("other"), `"kind":"halted"`) {
				t.Error("the other rule was not told")
			}
			if v, _ := b.n.Status(); v.Failed != 1 || !strings.Contains(v.Error, tc.want) {
				t.Errorf("status: %+v", v)
			}
			if strings.HasPrefix(tc.name, "forks") {
				pid, err := strconv.Atoi(strings.TrimSpace(b.file("pid")))
				if err != nil {
					t.Fatal(err)
				}
				if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
					t.Errorf("the child still runs: %v", err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(b.n.cfg.Effects.Open("x").Path()), EffectPrefix+"*")); len(left) > 0 {
				t.Errorf("effects are left: %v", left)
			}
		})
	}
}

func TestWhatWasDueIsToldByTheNextDaemonOnce(t *testing.T) {
	t.Parallel()
	slow := quick()
	slow.Gather, slow.GatherMost = time.Hour, time.Hour
	b := newBench(t, slow, Rule{Run: "cat >> got"})
	n := b.notice(1, Halted)
	if err := b.n.Add("cursor-1", n); err != nil {
		t.Fatal(err)
	}
	b.n.Close() // before it was told
	b.cfg.Timing = quick()
	if !b.open() {
		t.Error("the next daemon does not know of the one before")
	}
	if c := b.n.Cursor(); c != "cursor-1" {
		t.Errorf("cursor %q", c)
	}
	b.add(n) // the same event again
	b.settled()
	if got := strings.Count(b.file("got"), n.Key); got != 1 {
		t.Errorf("told %d times", got)
	}
}

func TestACommandThatOutlivesTheDaemonIsNotRunTwice(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(), Rule{Run: "echo begun >> got; until test -e go; do sleep 0.01; done"})
	n := b.notice(1, Halted)
	b.add(n)
	begun := func() bool {
		_, err := os.Stat(filepath.Join(b.cfg.Home, "got"))
		return err == nil
	}
	b.until("the command does not begin", begun)
	b.n.Close()
	b.open()
	if err := os.WriteFile(filepath.Join(b.cfg.Home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.settled()
	if got := b.file("got"); got != "begun\n" {
		t.Errorf("the command was run %d times", strings.Count(got, "begun"))
	}
	if v, _ := b.n.Status(); v.Failed != 0 {
		t.Errorf("status: %+v", v)
	}
}

func TestWhatACommandLeftIsRemovedByTheNextDaemon(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick())
	id := effectID("rule", b.notice(1, Done).Key)
	if o := b.n.command(t.Context(), id, []string{"true"}, notification{}); o.err != nil {
		t.Fatal(o.err)
	}
	b.n.Close()
	b.open()
	if _, err := os.Stat(b.n.cfg.Effects.Open(id).Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the effect is still there: %v", err)
	}
}

func TestABrokenFileKeepsTheEarlierSettings(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(), Rule{Run: "cat >> got"})
	b.set(Settings{}, errors.New("config.yaml:3: unknown key"))
	b.add(b.notice(1, Halted), b.notice(2, Done))
	b.settled()
	if got := strings.Count(b.file("got"), `"autopilot.notification"`); got != 2 {
		t.Errorf("told %d times", got)
	}
	if _, problem := b.n.Status(); problem != "config.yaml:3: unknown key" {
		t.Errorf("problem %q", problem)
	}
	b.logged("unknown key")
	b.set(Settings{}, nil)
	if _, problem := b.n.Status(); problem != "" {
		t.Errorf("problem %q after the file was corrected", problem)
	}
}

func TestARuleThatIsTakenOutIsNotToldOf(t *testing.T) {
	t.Parallel()
	slow := quick()
	slow.Gather, slow.GatherMost = time.Hour, time.Hour
	b := newBench(t, slow, Rule{Run: "cat >> got"})
	b.add(b.notice(1, Halted))
	b.set(Settings{Rules: []Rule{{Run: "cat >> other"}}}, nil)
	b.cfg.Timing = quick()
	b.n.Close()
	b.open()
	b.add(b.notice(2, Halted))
	b.settled()
	b.file("other")
	if _, err := os.Stat(filepath.Join(b.cfg.Home, "got")); err == nil {
		t.Error("a rule that is gone has told")
	}
	b.logged("a notify rule is gone")
}

func TestRulesThatTellTheSameWayTellOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(), Rule{On: []string{"done"}, Run: "cat >> got"}, Rule{On: []string{"halted", "done"}, Run: "cat >> got"})
	b.add(b.notice(1, Done), b.notice(2, Halted), b.notice(3, Died))
	b.settled()
	if got := strings.Count(b.file("got"), `"autopilot.notification"`); got != 2 {
		t.Errorf("told %d times", got)
	}
}

func TestAnOutboxThatCannotBeReadIsPutAside(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"v":99}`, "\x00\xff"} {
		b := newBench(t, quick())
		b.n.Close()
		if err := os.WriteFile(b.n.path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if b.open() {
			t.Errorf("%q passes for an outbox", text)
		}
		if kept, err := os.ReadFile(b.n.path() + ".bad"); err != nil || string(kept) != text {
			t.Errorf("%q is not kept: %v", text, err)
		}
		b.logged("is lost")
	}
}

func TestAnOutboxThatIsNoFileMakesRoomForOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick())
	b.n.Close()
	if err := errors.Join(os.RemoveAll(b.n.path()), os.MkdirAll(filepath.Join(b.n.path(), "sub"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if b.open() {
		t.Error("a directory passes for an outbox")
	}
	if err := b.n.Add("somewhere"); err != nil {
		t.Error(err)
	}
	b.n.Close()
	if !b.open() {
		t.Error("what was stored is not found again")
	}
}

func TestATextOfTheDesktopIsNoMarkupAndNoScript(t *testing.T) {
	t.Parallel()
	argv := desktopArgv(notification{Kind: "needs_person", Line: `run x: <b>"$(reboot)"`, Next: "apctl why x"})
	if argv[len(argv)-2] != "autopilot: needs person" || argv[len(argv)-3] != "--" ||
		argv[len(argv)-1] != "run x: &lt;b&gt;\"$(reboot)\"\napctl why x" {
		t.Errorf("argv %q", argv)
	}
}

func TestATestSaysWhatBecameOfEachRule(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(), Rule{Run: "cat > got"}, Rule{On: []string{"died"}, Run: "echo no; exit 4"}, Rule{Bell: true})
	id := b.notice(0, Done).Key
	got, err := b.n.Test(t.Context(), "", id)
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	if !got[0].OK || got[1].OK || !strings.Contains(got[1].Error, "exited with 4: no") || !got[2].OK || got[2].Note == "" {
		t.Errorf("got %+v", got)
	}
	if text := b.file("got"); !strings.Contains(text, `"test":true`) {
		t.Errorf("the message does not say that it is a test: %s", text)
	}
	if got, err = b.n.Test(t.Context(), Halted, id+"2"); err != nil || len(got) != 2 {
		t.Errorf("rules for halted: %+v %v", got, err)
	}
}
