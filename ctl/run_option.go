package ctl

import (
	"cmp"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/amount"
	"autopilot/projections/when"
)

type agentOptions struct {
	command     string
	script      string
	profile     string
	model       string
	permissions string
}

type limitOptions struct {
	usd         string
	tokens      string
	turns       int
	noWait      bool
	typed       func(flag string) bool
	forTime     string
	until       string
	iterations  int
	startGreen  bool
	startBroken bool
	halfway     bool
	untilGreen  bool
	idle        string
	attempt     string
	gate        string
	sessions    string
	hours       string
	confidence  string
}

// spec is the agent that was typed. None is the daemon's to say, as the
// configuration may name one.
func (o *agentOptions) spec(a *app) (wire.AgentSpec, error) {
	spec := wire.AgentSpec{Command: o.command, Profile: o.profile, Model: o.model, Permissions: o.permissions}
	if err := o.check(); err != nil || o.script == "" {
		return spec, err
	}
	var err error
	if spec.Script, err = a.readFile("the script", o.script, maxScript); err != nil {
		return spec, err
	}
	return spec, checkText("the script", spec.Script)
}

// check refuses what excludes each other.
func (o *agentOptions) check() error {
	other := "--script"
	if o.command != "" {
		other = "--agent-cmd"
	}
	alone := o.command == "" && o.script == ""
	switch {
	case o.command != "" && o.script != "", o.profile != "" && !alone:
		return render.TwoAgents()
	case o.model != "" && !alone:
		return render.ProfileOnly("--model", other)
	case o.permissions != "" && !alone:
		return render.ProfileOnly("--permissions", other)
	case o.permissions != "" && o.permissions != "full":
		return render.BadPermissions(o.permissions)
	}
	return cmp.Or(checkText("--agent-cmd", o.command), checkText("--agent", o.profile), checkText("--model", o.model))
}

func (o *limitOptions) apply(a *app, spec *wire.RunSpec, counted bool) error {
	if counted && o.iterations < 1 {
		return render.BadCount("--max-iterations", o.iterations)
	}
	spec.MaxIterations = o.iterations
	if err := o.use(spec); err != nil {
		return err
	}
	if o.forTime != "" {
		d, err := parseDuration("--for", o.forTime)
		if err != nil {
			return err
		}
		spec.ForMS = d.Milliseconds()
	}
	if o.until != "" {
		t, err := parseUntil(o.until, a.Now(), a.Zone)
		if err != nil {
			return err
		}
		spec.UntilMS = t.UnixMilli()
	}
	if err := cmp.Or(o.timeouts(spec), o.series(a, spec)); err != nil {
		return err
	}
	spec.StartBroken, spec.Halfway = o.startBroken, o.halfway
	switch {
	case o.startGreen && o.untilGreen:
		return render.TwoStarts()
	case o.startGreen:
		spec.Start = events.StartGreen
	case o.untilGreen:
		spec.Start = events.UntilGreen
	}
	return nil
}

// timeouts reads the limits of single processes.
func (o *limitOptions) timeouts(spec *wire.RunSpec) (err error) {
	for _, l := range []struct {
		flag, text string
		to         *int64
		ofAgent    bool
	}{
		{"idle", o.idle, &spec.Timeouts.IdleMS, true},
		{"iteration-timeout", o.attempt, &spec.Timeouts.AttemptMS, true},
		{"gate-timeout", o.gate, &spec.Timeouts.GateMS, false},
	} {
		switch {
		case !o.typed(l.flag):
			continue
		case l.ofAgent && spec.Driver == events.DriverSession:
			return render.NoTimeoutOfChat("--" + l.flag)
		}
		if *l.to, err = when.LimitMS(l.text); err != nil {
			return render.BadTimeout("--"+l.flag, l.text)
		}
	}
	return nil
}

// use reads the limits on what is used.
func (o *limitOptions) use(spec *wire.RunSpec) (err error) {
	spec.NoWait = o.noWait
	if o.typed("max-usd") {
		if spec.MaxMicroUSD, err = amount.USD(o.usd); err != nil {
			return render.BadAmount("--max-usd", o.usd, "5 or 0.50")
		}
	}
	if o.typed("max-tokens") {
		if spec.MaxTokens, err = amount.Tokens(o.tokens); err != nil {
			return render.BadAmount("--max-tokens", o.tokens, "200000, 500k or 2M")
		}
	}
	if o.typed("max-turns") && o.turns < 1 {
		return render.BadCount("--max-turns", o.turns)
	}
	spec.MaxTurns = o.turns
	return nil
}

func checkGlobs(flag string, globs []string) error {
	for _, glob := range globs {
		if err := checkText("the glob of "+flag, glob); err != nil {
			return err
		}
	}
	return nil
}
