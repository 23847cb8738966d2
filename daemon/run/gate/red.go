package gate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Red is a gate that passes when the daemon has seen its command fail in the test
// commit, and the work came after it.
//
// The test commit is the newest one since the run began that changes a file of
// the tests, along first parents. It is found in the history each time, and never
// taken from what anybody says; HEAD is never put in its place.
//
// Source: atdd-kit, seeds 3.4 stage 4, 3.5 check_red_evidence, Q22, Q23, Q34.
type Red struct {
	Name  events.Name
	Globs []string // of the tests
	Times int      // that its command runs in the test commit, where it fails at least once, and in the control run, where it never does; 0 is once
}

// TestCommit is the commit that brought the tests as they are.
type TestCommit struct {
	ID      string
	Subject string
	Tests   []string // that it adds or changes
	Others  []string // what else it changes
}

func (c TestCommit) String() string { return fmt.Sprintf("%s %q", c.ID, c.Subject) }

// RedHistory is what the history and the recorded tree say.
type RedHistory struct {
	Base    string      // commit at which the run began; empty is none
	Refused string      // why nothing can be told from the history
	Commit  *TestCommit // nil is none
	Differ  []string    // tests that are recorded otherwise than they are in it
	Work    []string    // other files that were changed after it
	Impl    []string    // commits after it that change other files, the newest first
}

// TestsLater is for who finds that a test is missing or wrong once the work is there:
// in a commit on top of that it would pass, and prove nothing.
const TestsLater = "if the work is committed already, commit its revert first, then the tests, then the work again"

const testsAlone = "Commit the tests alone, before the work, and leave them as they are in that commit; " + TestsLater + ".\n"

// Before is the verdict that needs no command; false if the commit has to be
// tried.
func (g Red) Before(h RedHistory) (events.GateResult, Texts, bool) {
	reason, text := events.ReasonNoCommit, ""
	var files []string
	switch c := h.Commit; {
	case h.Base == "":
		text = "The repository had no commit when the run began, so no commit of tests can precede the work. Commit, and start a new run.\n"
	case h.Refused != "":
		reason, text = events.ReasonAncestry, "The history of this repository proves nothing: "+h.Refused+".\n"
	case c == nil:
		text = fmt.Sprintf("No commit since %s changes a file of the tests (%s). %s", h.Base, strings.Join(g.Globs, ", "), testsAlone)
	case len(c.Tests) == 0:
		text = fmt.Sprintf("Commit %s is the newest that changes a file of the tests (%s), and it only removes some. %s", c, strings.Join(g.Globs, ", "), testsAlone)
	case len(h.Differ) > 0:
		files = h.Differ
		text = fmt.Sprintf("These files of the tests are not what they are in commit %s, the newest that changes any:\n%s%s", c, NamedList(files), testsAlone)
	case len(h.Work) == 0:
		reason = events.ReasonAncestry
		text = fmt.Sprintf("Only tests were changed after commit %s. Commit the work after the tests.\n", c)
	default:
		return events.GateResult{}, Texts{}, false
	}
	r := events.GateResult{Gate: g.Name, Kind: events.GateRed, Role: events.RoleCheck, Verdict: events.Fail, Reason: reason, Exit: -1}
	r.OutputSum = rule.OutputSum([]byte(text))
	return r, Texts{Files: linesOf(files), Excerpt: Excerpt([]byte(text), ExcerptBytes, 0, "")}, true
}

// Judge turns the verdict on the command, as it was run in the test commit, into
// that of the gate. A failure counts only if the command ran to its end: found
// says that its first word was there, for the exit codes by which a shell says
// that something was not.
func (g Red) Judge(c TestCommit, r events.GateResult, t Texts, found bool) (events.GateResult, Texts) {
	r.Kind = events.GateRed
	head := fmt.Sprintf("In commit %s, which adds the tests, ", c)
	switch missing := (r.Exit == exitNotExecutable || r.Exit == exitNotFound) && !found; {
	case r.Verdict == events.Unverifiable || r.Reason == events.ReasonToolChanged || r.Reason == events.ReasonSetup:
		return r, t
	case r.Verdict == events.Pass && len(c.Others) > 0:
		r.Verdict, r.Reason = events.Fail, events.ReasonAncestry
		t.Files = linesOf(c.Others)
		head += "the command passes, because the commit has the work too. It also changes:\n" + NamedList(c.Others) + testsAlone
	case r.Verdict == events.Pass:
		r.Verdict, r.Reason = events.Fail, events.ReasonNotRed
		head += "the command passes" + ofRuns(r.Rate.Runs-r.Rate.Failed, r.Rate) + ", so they would pass without the work that comes after it. " + testsAlone
	case r.Reason == events.ReasonExit && !missing:
		r.Verdict, r.Reason = events.Pass, events.ReasonSeenRed
		// They fail no more, and nothing that is counted as failing may say so.
		r.Failing, r.FailingSum, r.OutputSum = 0, "", ""
		head += "the command fails" + ofRuns(r.Rate.Failed, r.Rate) + ", as it has to before the work:\n"
		t.Excerpt = Headed(head, t.Excerpt)
		return r, t
	default:
		head += "the command did not fail by its tests:\n"
	}
	if r.OutputSum == "" {
		r.OutputSum = rule.OutputSum([]byte(head))
	}
	t.Excerpt = Headed(head, t.Excerpt)
	return r, t
}

// ofRuns says in how many of several runs.
func ofRuns(n int, of events.Rate) string {
	if of.Runs == 0 {
		return ""
	}
	return fmt.Sprintf(" %d of %d times", n, of.Runs)
}

const redTaken = "The earlier result counts, because commit, command, environment and tools are the same.\n"

// RedAgain is the excerpt of a result that is taken once more.
func RedAgain(excerpt string) string {
	if strings.HasPrefix(excerpt, redTaken) {
		return excerpt
	}
	return Headed(redTaken, excerpt)
}

// Conclusive says that a result of a red gate holds for as long as its set does:
// the command ran to its end in the test commit, whatever it said.
func (g Red) Conclusive(r events.GateResult, set string) bool {
	return r.Gate == g.Name && r.Kind == events.GateRed && r.Effect != "" && r.Set == set &&
		slices.Contains([]events.Reason{events.ReasonSeenRed, events.ReasonControl, events.ReasonNotRed, events.ReasonAncestry}, r.Reason)
}

// RedSet names what was tried: the commit, or the tree of a control run, and
// command, set-up, environment and program, with the programs that have come since
// the run began.
func RedSet(commit, setup string, r events.GateResult, came ...string) string {
	return hash([]byte(strings.Join(append([]string{commit, setup, r.Argv, r.Env, r.Tool}, came...), "\x00")))
}

// Starts says whether the first word of a command is there to be run, as far as
// that is known before: on the pinned PATH, or by its path in the directory, of
// which isProgram knows the files.
func (p Pinned) Starts(c Command, isProgram func(name string) bool) bool {
	word := c.Run.FirstWord()
	switch {
	case word == "":
		return false
	case strings.Contains(word, "/") && !path.IsAbs(word) && !strings.HasPrefix(word, "~/"):
		return isProgram(path.Clean(word))
	}
	return p.look(word) != ""
}
