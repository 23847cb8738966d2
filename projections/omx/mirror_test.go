package omx_test

import (
	"strings"
	"testing"

	"autopilot/projections/omx"
)

func TestQuirk1OfTheReleaseTheRunStateFollowsEachWrite(t *testing.T) {
	t.Parallel()
	b := honest()
	got := string(omx.RunState(in(t, b, omx.Complete), nil, stamp(50)).Compact())
	for _, want := range []string{`"version":1`, `"mode":"autopilot"`, `"active":false`, `"outcome":"finish"`, `"current_phase":"complete"`, `"lifecycle_outcome":"finished"`, `"completed_at":"2026-05-01T10:50:00.000Z"`, `"iteration":1`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	got = string(omx.RunState(in(t, b, omx.Goal), nil, stamp(50)).Compact())
	if !strings.Contains(got, `"outcome":"continue"`) || strings.Contains(got, "completed_at") {
		t.Errorf("%s", got)
	}
}

func TestO31TheTimeOfActivationIsThatOfTheSkill(t *testing.T) {
	t.Parallel()
	state := func(active bool, phase string) omx.Object {
		return omx.Object{}.Set("active", active).Set("current_phase", phase)
	}
	o := omx.Skills(nil, state(true, "draft"), "ralplan", session, "T1")
	o = omx.Skills(o, state(true, "review"), "ralplan", session, "T2")
	if o.Text("activated_at") != "T1" || o.Text("phase") != "review" || o.Text("updated_at") != "T2" {
		t.Errorf("%s", o.Compact())
	}
	o = omx.Skills(o, state(false, "completed"), "ralplan", session, "T3")
	if !o.False("active") || o.Text("completed_at") != "T3" || len(o.List("active_skills")) != 0 {
		t.Errorf("%s", o.Compact())
	}
	o = omx.Skills(o, state(true, "team-exec"), "team", session, "T4")
	if o.Text("activated_at") != "T4" || o.Text("skill") != "team" || o.Has("completed_at") {
		t.Errorf("the time was kept: %s", o.Compact())
	}
}

func TestO10TheSkillsOfSessionsStayApart(t *testing.T) {
	t.Parallel()
	on := omx.Object{}.Set("active", true).Set("current_phase", "x")
	o := omx.Skills(nil, on, "team", "s-1", "T1")
	o = omx.Skills(o, on, "team", "s-2", "T2")
	o = omx.Skills(o, on.Set("active", false), "team", "s-1", "T3")
	if got := o.List("active_skills"); len(got) != 1 || !strings.Contains(string(got[0]), `"s-2"`) || o.Text("session_id") != "s-2" {
		t.Errorf("%s", o.Compact())
	}
}

func TestSeeds48CancelKeepsAllAndIsDoneOnce(t *testing.T) {
	t.Parallel()
	b := honest()
	before := in(t, b, omx.Review)
	o, was := omx.Cancel(before, stamp(51))
	if !was || phaseOf(o) != "cancelled false 1/0" || o.Text("completed_at") == "" || o.Text("last_turn_at") == "" || o.Text("run_outcome") != "cancelled" {
		t.Errorf("%t, %s", was, o.Compact())
	}
	for _, m := range before {
		switch m.Name {
		case "active", "current_phase", "run_outcome", "updated_at", "apctl":
		default:
			if string(o.Raw(m.Name)) != string(m.Value) {
				t.Errorf("%s was %s", m.Name, m.Value)
			}
		}
	}
	if again, was := omx.Cancel(o, stamp(52)); was || string(again.Compact()) != string(o.Compact()) {
		t.Errorf("it was cancelled twice: %s", again.Compact())
	}
	if got := strings.Join(omx.Order([]string{"autopilot", "ultrawork", "ralph", "team", "ultraqa"}), " "); got != "team ralph ultrawork autopilot ultraqa" {
		t.Errorf("the order is %s", got)
	}
}

func TestO9RalphEndsWithTheTeamThatItIsLinkedTo(t *testing.T) {
	t.Parallel()
	b := honest()
	ralph := object(t, `{"active":true,"linked_team":true,"current_phase":"executing"}`)
	for phase, want := range map[string]string{"failed": "failed", "cancelled": "cancelled", "complete": "cancelled", "blocked": "cancelled"} {
		team := object(t, `{"active":false,"linked_ralph":true,"current_phase":"`+phase+`"}`)
		o, ok := omx.Linked(team, ralph, b.world)
		if !ok || o.Text("current_phase") != want || !o.False("active") || o.Text("linked_team_terminal_phase") != want || o.Text("linked_team_terminal_at") == "" {
			t.Errorf("%s: %s", phase, o.Compact())
		}
	}
	audited := ralph.Set("completion_audit", object(t, `{"passed":true,"checklist":["a"],"tests":["t"]}`))
	if o, _ := omx.Linked(object(t, `{"active":false,"linked_ralph":true,"current_phase":"complete"}`), audited, b.world); o.Text("current_phase") != "complete" {
		t.Errorf("%s", o.Compact())
	}
	for _, team := range []string{`{"active":false,"current_phase":"failed"}`, `{"active":true,"linked_ralph":true,"current_phase":"team-exec"}`} {
		if _, ok := omx.Linked(object(t, team), ralph, b.world); ok {
			t.Errorf("%s ends ralph", team)
		}
	}
}
