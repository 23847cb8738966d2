package omx

import "strings"

// RunState is run-state.json, the short form of the state that was written last.
//
// Source: oh-my-codex 0.21.6, run state; quirk 1: the release does not keep it.
func RunState(state, existing Object, now string) Object {
	active := state.True("active")
	run := "continue"
	if !active {
		if run = runWords[strings.ToLower(state.Text("run_outcome"))]; run == "" {
			run, _ = inferred(state)
		}
	}
	mode := state.Text("mode")
	if mode == "" {
		mode = "unknown"
	}
	o := Object{}.Set("version", 1).Set("mode", mode).Set("active", active).Set("outcome", run).Set("updated_at", now)
	for _, n := range []string{"lifecycle_outcome", "current_phase", "task_description", "started_at"} {
		if s := state.Text(n); s != "" {
			o = o.Set(n, s)
		}
	}
	if o.Null("started_at") && existing.Text("mode") == mode && existing.Text("started_at") != "" {
		o = o.Set("started_at", existing.Text("started_at"))
	}
	if at := state.Text("completed_at"); !active && at != "" {
		o = o.Set("completed_at", at)
	}
	for _, n := range []string{"iteration", "max_iterations"} {
		if c, there, err := state.Count(n); there && err == nil {
			o = o.Set(n, c)
		}
	}
	for _, n := range []string{"error", "owner_omx_session_id"} {
		if s := state.Text(n); s != "" {
			o = o.Set(n, s)
		}
	}
	return o
}

// Skills is skill-active-state.json with one skill begun, gone on or ended. A file
// holds the skills of one session, or those of all at the root.
//
// Source: oh-my-codex 0.21.6, active skills. The time of the activation is that of the
// skill, also when another one takes its place (lesson O31).
func Skills(existing, state Object, mode, session, now string) Object {
	active, phase := state.True("active"), state.Text("current_phase")
	began := now
	entries := []Object{}
	for _, v := range existing.List("active_skills") {
		e, err := Parse(v)
		switch {
		case err != nil || e.Text("skill") == "" || e.False("active"):
		case e.Text("skill") == mode && e.Text("session_id") == session:
			if at := e.Text("activated_at"); at != "" {
				began = at
			}
		default:
			entries = append(entries, e)
		}
	}
	if active {
		e := Object{}.Set("skill", mode).Set("phase", phase).Set("active", true).Set("activated_at", began).Set("updated_at", now)
		if session != "" {
			e = e.Set("session_id", session)
		}
		entries = append(entries, e)
	}
	o := existing.Set("version", 1).Set("active", len(entries) > 0)
	first := Object{}.Set("skill", mode).Set("phase", phase).Set("activated_at", began)
	for i, e := range entries {
		if i == 0 || e.Text("skill") == existing.Text("skill") {
			first = e
		}
	}
	o = o.Set("skill", first.Text("skill")).Set("keyword", existing.Text("keyword")).Set("phase", first.Text("phase")).
		Set("activated_at", first.Text("activated_at")).Set("updated_at", now)
	if existing.Text("source") == "" {
		o = o.Set("source", "state-operations")
	}
	if s := first.Text("session_id"); s != "" {
		o = o.Set("session_id", s)
	} else {
		o = o.Without("session_id")
	}
	o = o.Without("completed_at", "current_phase", "terminal_reason")
	if len(entries) == 0 {
		o = o.Set("completed_at", now)
	}
	return o.Set("active_skills", entries)
}
