package config

import (
	"slices"
	"strconv"
	"time"

	"autopilot/daemon/agent/price"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/projections/amount"
	"autopilot/projections/when"
)

// Day is what may be used in one calendar day. Zero is no limit.
type Day struct {
	USD    USD    `yaml:"usd"`
	Tokens Tokens `yaml:"tokens"`
	Turns  int    `yaml:"turns"`
	Hours  Hours  `yaml:"hours"` // that agents work, all added
}

// USD is an amount of money over zero, in millionths of a dollar; in a file 5,
// 0.50 or "$5".
type USD int64

// DecodeYAML implements strictyaml.Decoder.
func (u *USD) DecodeYAML(v strictyaml.Value) error {
	if !scalar(v) {
		return v.Mismatch("dollars, as 5 or 0.50")
	}
	n, err := amount.USD(v.Plain())
	if err != nil {
		return v.Errorf("write 5 or 0.50, more than 0", "%q is not an amount in dollars", v.Plain())
	}
	*u = USD(n)
	return nil
}

// Tokens is a number of tokens over zero; in a file 200000, 200k or 1.5M.
type Tokens int64

// DecodeYAML implements strictyaml.Decoder.
func (t *Tokens) DecodeYAML(v strictyaml.Value) error {
	if !scalar(v) {
		return v.Mismatch("a number of tokens, as 200000, 200k or 1.5M")
	}
	n, err := amount.Tokens(v.Plain())
	if err != nil {
		return v.Errorf("write 200000, 200k or 1.5M, more than 0", "%q is not a number of tokens", v.Plain())
	}
	*t = Tokens(n)
	return nil
}

// Hours is a length of time; in a file a number of hours, or 90m.
type Hours time.Duration

// DecodeYAML implements strictyaml.Decoder.
func (h *Hours) DecodeYAML(v strictyaml.Value) error {
	text := v.Plain()
	if v.Kind() == strictyaml.Number {
		text += "h"
	}
	d, err := when.Span(text)
	switch {
	case !scalar(v):
		return v.Mismatch("a number of hours, as 8 or 1.5")
	case err != nil:
		return v.Errorf("write 8, 1.5 or 90m", "%q is not a number of hours", v.Plain())
	}
	*h = Hours(d)
	return nil
}

func scalar(v strictyaml.Value) bool {
	return v.Kind() == strictyaml.Number || v.Kind() == strictyaml.Text
}

// Price is what a million tokens of a model cost, in dollars.
type Price struct {
	Input      *price.Number `yaml:"input"`
	CacheRead  *price.Number `yaml:"cache_read"` // that of input without one
	CacheWrite *price.Number `yaml:"cache_write"`
	Output     *price.Number `yaml:"output"`
}

// DecodeYAML implements strictyaml.Decoder.
func (p *Price) DecodeYAML(v strictyaml.Value) error {
	type plain Price
	if err := v.Decode((*plain)(p)); err != nil {
		return err
	}
	if p.Input == nil || p.Output == nil {
		return v.Errorf("write {input: 3, output: 15}; cache_read and cache_write cost as input without their own", "a price needs input and output")
	}
	return nil
}

// rate is the price as the table has it.
func (p Price) rate() price.Rate {
	in := int64(*p.Input)
	r := price.Rate{Input: in, CacheRead: in, CacheWrite: in, Output: int64(*p.Output)}
	if p.CacheRead != nil {
		r.CacheRead = int64(*p.CacheRead)
	}
	if p.CacheWrite != nil {
		r.CacheWrite = int64(*p.CacheWrite)
	}
	return r
}

// Rates are the user's own prices by model.
func (u User) Rates() map[string]price.Rate {
	out := map[string]price.Rate{}
	for _, e := range u.Prices {
		out[e.Key] = e.Value.rate()
	}
	return out
}

// Budget is a limit of a calendar day.
type Budget struct {
	Project bool // of the runs of the project alone, else of all
	Kind    events.Limit
	Limit   int64  // tokens, millionths of a dollar, turns or milliseconds
	Setting string // that says so
}

// Budgets are the limits of the day. Both files can have one for a project: the
// lower one counts, so that neither lifts the other.
func (l Layers) Budgets() []Budget {
	var out []Budget
	add := func(d Day, project bool) {
		for _, b := range d.budgets(project) {
			same := func(o Budget) bool { return o.Setting == b.Setting }
			if i := slices.IndexFunc(out, same); i < 0 {
				out = append(out, b)
			} else if b.Limit < out[i].Limit {
				out[i] = b
			}
		}
	}
	if l.User != nil {
		add(l.User.Limits.Day, false)
		add(l.User.Limits.Project, true)
	}
	if l.Project != nil {
		add(l.Project.Limits.Project, true)
	}
	return out
}

func (d Day) budgets(project bool) (out []Budget) {
	at := "limits.day."
	if project {
		at = "limits.project."
	}
	for _, b := range []Budget{
		{project, events.LimitDayCost, int64(d.USD), at + "usd"},
		{project, events.LimitDayTokens, int64(d.Tokens), at + "tokens"},
		{project, events.LimitDayTurns, int64(d.Turns), at + "turns"},
		{project, events.LimitDayHours, time.Duration(d.Hours).Milliseconds(), at + "hours"},
	} {
		if b.Limit > 0 {
			out = append(out, b)
		}
	}
	return out
}

// budget judges the limits on what is used.
func (f *faults) budget(l Limits) {
	for at, n := range map[string]int{"limits.turns": l.Turns, "limits.day.turns": l.Day.Turns, "limits.project.turns": l.Project.Turns} {
		if f.file.sets(at) && n < 1 {
			f.add(at, "write 1 or more, or take the line out", "%d is too small", n)
		}
	}
}

// own refuses what belongs to the user alone.
func (f *faults) own(key, instead string) {
	if f.file.sets(key) {
		f.add(key, "take it out: a project can set "+instead, "it belongs in the user's file")
	}
}

// prices judges the names of models.
func (f *faults) prices(prices strictyaml.Map[Price]) {
	for _, e := range prices {
		if e.Key == "" || e.Key == "*" || len(e.Key) > 256 {
			f.add("prices", "write the id of a model, as claude-opus-4-5 or claude-opus-4-*", "%q is not a model", e.Key)
		}
	}
}

// budget fills in what was not typed of the limits on what a run uses. Values
// of variables were judged before.
func (a *application) budget() {
	q := &a.out.Order
	for _, s := range []struct {
		key   string
		typed bool
		take  func(int64)
		of    func(Limits) int64
		parse func(string) (int64, error)
	}{
		{"limits.usd", q.MaxMicroUSD != 0, func(n int64) { q.MaxMicroUSD = n }, func(l Limits) int64 { return int64(l.USD) }, amount.USD},
		{"limits.tokens", q.MaxTokens != 0, func(n int64) { q.MaxTokens = n }, func(l Limits) int64 { return int64(l.Tokens) }, amount.Tokens},
		{"limits.turns", q.MaxTurns != 0, func(n int64) { q.MaxTurns = int(n) }, func(l Limits) int64 { return int64(l.Turns) }, turns},
	} {
		if s.typed {
			continue
		}
		s.take(a.number(s.key, s.of, s.parse))
		a.use(s.key)
	}
	a.out.Budgets = a.layers.Budgets()
	for _, b := range a.out.Budgets {
		a.use(b.Setting)
	}
}

func turns(text string) (int64, error) { return strconv.ParseInt(text, 10, 32) }

// number is the value of a key of limits, zero where nothing sets it.
func (a *application) number(key string, of func(Limits) int64, parse func(string) (int64, error)) int64 {
	if text, ok := a.layers.Environment[key]; ok {
		n, _ := parse(text)
		return n
	}
	f := a.layers.from(key)
	switch {
	case f == nil:
		return 0
	case f.origin == FromProject:
		return of(a.layers.Project.Limits)
	}
	return of(a.layers.User.Limits)
}
