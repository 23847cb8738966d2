package ctl

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"autopilot/ctl/omx"
	"autopilot/ctl/render"
	rules "autopilot/projections/omx"
)

// omxAutopilot is a call of omx autopilot.
func (a *app) omxAutopilot(args []string) error {
	verb, names, words := args[0], []string{"session"}, false
	switch verb {
	case "start":
		names, words = append(names, "task", "profile"), true
	case "advance":
		names = append(names, "to", "handoff-json", "profile")
	case "status", "next":
	default:
		return render.OmxUsage("autopilot", "unknown subcommand %q", verb)
	}
	p, err := omxParse("autopilot", args[1:], words, names...)
	if err != nil {
		return err
	}
	profile, err := p.profile()
	if err != nil {
		return err
	}
	session := p.values["session"]
	if session != "" {
		if err := rules.CheckID(session); err != nil {
			return err
		}
	}
	s, err := a.openOmx("")
	if err != nil {
		return err
	}
	switch verb {
	case "start":
		task := strings.TrimSpace(p.values["task"])
		if task == "" {
			task = strings.Join(p.words, " ")
		}
		v, err := s.Start(strings.ToValidUTF8(task, "?"), session, profile)
		return a.omxMoved(v, err, p.json)
	case "advance":
		v, err := a.omxAdvance(s, p, profile)
		return a.omxMoved(v, err, p.json)
	}
	return a.omxShow(s, verb, p)
}

var errNoRun = errors.New("there is no state of autopilot here: begin with apctl compat omx autopilot start --task TEXT")

// omxAdvance sets what a phase hands over, and goes to the next one.
func (a *app) omxAdvance(s *omx.Store, p omxArgs, profile rules.Profile) (omx.Written, error) {
	session, to, given := p.values["session"], p.values["to"], p.values["handoff-json"]
	if _, there, err := s.Read("autopilot", session); err != nil || !there {
		return omx.Written{}, errors.Join(err, noRun(there || err != nil))
	}
	if to != rules.Plan && to != rules.Goal {
		return omx.Written{}, fmt.Errorf("--to is ralplan or ultragoal, and not %q", to)
	}
	if given == "" {
		return omx.Written{}, render.OmxUsage("autopilot", "--handoff-json is missing")
	}
	text := []byte(given)
	if !strings.HasPrefix(strings.TrimSpace(given), "{") {
		var err error
		if text, err = a.omxFile(given); err != nil {
			return omx.Written{}, fmt.Errorf("--handoff-json cannot be read: %w", err)
		}
	}
	handoff, err := rules.Parse(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if err != nil {
		return omx.Written{}, fmt.Errorf("--handoff-json has to be one JSON object: %w", err)
	}
	call := rules.Object{}.Set("mode", "autopilot")
	if session != "" {
		call = call.Set("session_id", session)
	}
	return s.Write(call.Set("state", handoff.Set("active", true).Set("current_phase", to)), profile)
}

func noRun(there bool) error {
	if there {
		return nil
	}
	return errNoRun
}

// omxMoved answers a start or an advance.
func (a *app) omxMoved(v omx.Written, err error, json bool) error {
	if err != nil {
		return err
	}
	if !json {
		return a.say(instruction(v.State) + "\n")
	}
	o := rules.Object{}.Set("ok", true).Set("state", v.State).Set("instruction", instruction(v.State))
	if v.Advisory != nil {
		o = o.Set("advisory", v.Advisory)
	}
	return a.say(string(o.Compact()) + "\n")
}

// omxShow answers status and next.
func (a *app) omxShow(s *omx.Store, verb string, p omxArgs) error {
	o, there, err := s.Read("autopilot", p.values["session"])
	if err != nil || !there {
		return errors.Join(err, noRun(there || err != nil))
	}
	switch {
	case p.json:
		return a.say(string(rules.Object{}.Set("state", o).Set("instruction", instruction(o)).Compact()) + "\n")
	case verb == "next":
		return a.say(instruction(o) + "\n")
	}
	return a.say(render.Line("autopilot: "+o.Text("current_phase")) + "\n" + skippedGates(o) + instruction(o) + "\n")
}

// skippedGates are the lines of a run that has ended without all its evidence.
func skippedGates(o rules.Object) string {
	var b strings.Builder
	for _, v := range o.List("skipped_gates") {
		if g, err := rules.Parse(v); err == nil {
			b.WriteString(render.Line("  skipped "+g.Text("skippedGate")+": it lacked "+g.Text("missingEvidence")) + "\n")
		}
	}
	return b.String()
}

// instruction is the skill that is next for a state, with its task.
func instruction(o rules.Object) string {
	phase := rules.Child(o.Set("mode", "autopilot"))
	if phase == "" || phase == rules.Rework {
		return render.Line("autopilot has no skill to call in the phase " + o.Text("current_phase"))
	}
	return "$" + phase + " " + string(rules.Object{}.Set("task", o.Text("task_description")).Raw("task"))
}
