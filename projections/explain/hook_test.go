package explain_test

import (
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

func TestAChatIsToldWhatItOwesAndNothingElse(t *testing.T) {
	t.Parallel()
	s := run.State{Facts: events.RunStarted{Handle: "k3xq"}}
	s.Facts.Limits.Iterations = 10
	s.Loop.Phase, s.Loop.Iteration = "plan", 2
	s.Driver = &run.Driver{SessionJoined: events.SessionJoined{Program: "claude", PID: 7}}
	w := wire.SessionWork{
		Effect: "E", Phase: "plan", Iteration: 2, Owed: []wire.SessionOwed{{Gate: "files", Files: []string{"docs/*.md"}}},
		Findings: []wire.SessionFinding{{Gate: "files", Verdict: "fail", Text: "a text of others"}}, Gates: []wire.SessionGate{{Name: "files"}, {Name: "agreed"}},
	}
	now := time.Date(2026, 3, 1, 6, 1, 0, 0, time.UTC)
	alive := now.Add(-time.Minute)
	writer := wire.WriterView{Run: "k3xq", Task: "make it so", Program: "claude", PID: 7, Since: alive, Alive: &alive, Iteration: 2, Iterations: 10}
	many := []string{"1", "2", "3", "4", "5", "6", "7"}
	for name, tt := range map[string]struct {
		says  string
		wants []string
	}{
		"owes":     {explain.ChatOwes(s, w), []string{"run k3xq is not done yet", "Owed: docs/*.md (gate files).", "Last time: files: fail.", "Gates to come: files, agreed.", "--effect E --phase plan --iteration 2"}},
		"gates":    {explain.ChatAwaits(s, "gates"), []string{"run k3xq", "its gates are running"}},
		"looking":  {explain.ChatAwaits(s, "looking"), []string{"reviewers judge"}},
		"deciding": {explain.ChatAwaits(s, "deciding"), []string{"what comes next"}},
		"pinned":   {explain.ChatPinned(s, many), []string{"pinned in run k3xq: 1, 2, 3, 4, 5 and 2 more."}},
		"approved": {explain.ChatApproved(s, many[:1]), []string{"approved files of run k3xq: 1."}},
		"record":   {explain.ChatRecord(s), []string{"the record of run k3xq"}},
		"beside":   {explain.ChatBeside(writer, now), []string{"run k3xq works in this work tree, since 2026-03-01T06:00:00Z: make it so; a chat of claude, process 7, drives it, iteration 2 of 10, last sign of life 1m0s ago", "session join --worktree"}},
		"foreign":  {explain.ChatForeign(writer, many, now), []string{"not written: 1, 2, 3, 4, 5 and 2 more.", "run k3xq works", "session join --worktree", "apctl wait k3xq"}},
		"drives":   {explain.ChatDrives(s), []string{"this chat drives run k3xq: phase plan, iteration 2 of"}},
		"may join": {explain.ChatMayJoin(s), []string{"apctl session join k3xq", "If the user wants"}},
	} {
		for _, want := range tt.wants {
			if !strings.Contains(tt.says, want) {
				t.Errorf("%s: %q has no %q", name, tt.says, want)
			}
		}
		for _, never := range []string{"a text of others", "allow-test-changes", "apctl hook", "uninstall", "cancel", "session leave"} {
			if strings.Contains(tt.says, never) {
				t.Errorf("%s: %q has %q", name, tt.says, never)
			}
		}
	}
}
