package render

import (
	"testing"

	"autopilot/events/wire"
)

// driven is a run that a chat drives, with work to do.
func driven() wire.SessionView {
	v := live()
	v.State, v.Reason, v.Agent = "waiting", "session", "session"
	v.Driver = &wire.DriverView{Kind: "session", Program: "claude" + steering, PID: 4711, Since: at(-9)}
	return wire.SessionView{
		Run: v, Joined: true, Says: "waiting: a chat of claude, process 4711, works on iteration 3 of 10",
		Work: &wire.SessionWork{
			Effect: "01JH4Z9QW3E8N5T7V2X0Y6EFF1", Phase: "build", Iteration: 3, Attempt: 1, Iterations: 10, EndsBy: at(3600e9),
			Prompt:   "# Task\n\n```\nmake it pass" + steering + "\n```\n",
			Findings: []wire.SessionFinding{{Gate: "test", Verdict: "fail", Text: "--- FAIL: TestAdd" + steering + "\n    got 3\n"}},
			Owed:     []wire.SessionOwed{{Gate: "build-files", Files: []string{"docs/*.md" + steering}}},
			Gates: []wire.SessionGate{
				{Name: "test", Kind: "command", Role: "goal", Command: "go test ./..."},
				{Name: "reviewed", Kind: "review", Role: "check", Says: "reviewers judge your work and report findings", Looks: []string{"critic"}},
			},
			Phases: []string{"review"},
		},
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	work := driven()
	taken := driven()
	taken.Work, taken.Waits, taken.Says = nil, "gates", "running: judging the gates of iteration 3"
	taken.Taken = &wire.SessionTaken{Effect: "E", Phase: "build", Iteration: 3, Claim: "done", Tree: "3f2a9c1b7788aa55", Files: 1}
	taken.Next = []wire.NextCommand{{Command: "apctl watch k3xq", Why: "follow it"}}
	gone := driven()
	gone.Joined, gone.Work, gone.Waits = false, nil, "halted"
	gone.Run.Driver.Gone = true
	nobody := gone
	nobody.Run.Driver = &wire.DriverView{Kind: "session"}
	for name, s := range styles {
		golden(t, "session."+name, s.Session(work)+"\n"+s.Session(taken)+"\n"+s.Session(gone)+"\n"+s.Session(nobody))
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	w := wire.WhyView{
		Run: live(), Because: "done: every gate passed after iteration 5", Evidence: &wire.Evidence{Tree: "3f2a9c1b7788aa55", Checkout: "in place"},
		Summary: []wire.SummaryPart{
			{Part: "clarification", Gates: []wire.SummaryGate{{Gate: "clear", Kind: "interview", Verdict: "pass", By: []wire.SummaryBy{{Who: "asker", Says: "15% unclear", Source: "s1"}}}}},
			{Part: "plan", Gates: []wire.SummaryGate{
				{Gate: "agreed", Kind: "consensus", Verdict: "pass", By: []wire.SummaryBy{{Who: "architect", Says: "approve"}, {Who: "critic", Says: "approve"}}},
				{Gate: "approved", Kind: "approval", Verdict: "pass", By: []wire.SummaryBy{{Who: "person:0@host/pts/3", Says: "ok", Assurance: "tty", At: at(-3600e9)}}},
			}},
			{Part: "implementation", Work: []wire.SummaryWork{{Phase: "build", Iterations: 2, Files: 5, Tree: "3f2a9c1b7788aa55", References: []string{"out.txt:12" + steering}}}},
			{Part: "verification", Gates: []wire.SummaryGate{{Gate: "test", Kind: "command", Verdict: "pass", Reason: "exit", Says: "exit 0"}, {Gate: "slow", Kind: "command", Verdict: "fail", Reason: "exit", Says: "exit 1", Exit: 1}}},
			{Part: "review", Gates: []wire.SummaryGate{{Gate: "reviewed", Kind: "review", Verdict: "open", Exit: -1}}},
			{Part: "qa", Gates: []wire.SummaryGate{{Gate: "used", Kind: "qa", Exit: -1}}},
		},
	}
	w.Run.State, w.Run.Exit = "done", 0
	for name, s := range styles {
		golden(t, "summary."+name, s.End(w))
	}
}
