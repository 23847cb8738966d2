package policy

import (
	"strings"

	"autopilot/projections/orchestrator"
)

var peerFunctions = []Function{
	{"classify", "mode", "the class of a mode; an unknown one is refused", classify},
	{"exclusivity", "callerMode, self, others [{session_id, mode, started_at}], persistence, discoveryError", "what a session is told beside others", exclusivity},
	{"lock", "lock, now, host, pidDead, callerMode, self {pid, host, started_at}", "how a lock file stands", lock},
}

func classify(in input) (any, error) {
	m := in.text("mode")
	class, assumed := orchestrator.ClassifyMode(m)
	if assumed {
		return nil, refuse("unknown mode %q; callers take parallel-ok", m)
	}
	return class, nil
}

func exclusivity(in input) (any, error) {
	out := struct {
		Outcome  string `json:"outcome"`
		Reason   string `json:"reason"`
		Blocking string `json:"blocking_session_id,omitzero"`
		Class    string `json:"class"`
		Assumed  bool   `json:"class_assumed"` // the mode is not known (Q16)
	}{}
	class, assumed := orchestrator.ClassifyMode(in.text("callerMode"))
	out.Class, out.Assumed = string(class), assumed
	if in.get("persistence").raw.Kind() == 'f' {
		out.Outcome, out.Reason = "SKIPPED", "persistence-off"
		return out, nil
	}
	list, _ := in.list("others")
	self := in.text("self")
	var others []orchestrator.PeerBeside
	for _, v := range list {
		r := v.record()
		id := r.Text("session_id")
		if id == "" || id == self {
			continue
		}
		c, _ := orchestrator.ClassifyMode(r.Text("mode"))
		others = append(others, orchestrator.PeerBeside{ID: id, Class: c, Since: orchestrator.When(r.Text("started_at"))})
	}
	d := orchestrator.Preamble(class, others, in.get("discoveryError").truthy())
	out.Outcome, out.Reason, out.Blocking = string(d.Outcome), string(d.Reason), d.Beside
	return out, nil
}

func lock(in input) (any, error) {
	r := in.get("lock").record()
	now := orchestrator.When(in.text("now"))
	if r == nil || now.IsZero() {
		return nil, refuse("lock has to be an object, and now a time")
	}
	l := lockOf(r)
	out := map[string]any{"state": l.State(now, in.text("host"), in.is("pidDead")), "live": l.Live(now)}
	if m := in.text("callerMode"); strings.TrimSpace(m) != "" && l.Live(now) {
		out["state"] = orchestrator.Beside(m, l.Mode)
	}
	if s := in.get("self").record(); s != nil {
		own := lockOf(s)
		out["owner"] = l.Owns(orchestrator.Proof{PID: own.PID, Host: own.Host, Started: own.Started})
	}
	return out, nil
}

func lockOf(r orchestrator.Record) orchestrator.Lock {
	l := orchestrator.Lock{
		Session: r.Text("session_id"), Started: r.Text("started_at"), Beat: r.Text("last_heartbeat"),
		Mode: r.Text("mode"), Host: r.Text("host"), TTL: r.Number("ttl_hours"),
	}
	if p := r.Number("pid"); p > 0 && p < 1<<31 {
		l.PID = int(p)
	}
	return l
}
