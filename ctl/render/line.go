package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// lineMost is how long a status line is at most.
const lineMost = 80

// StatusLine is all that matters in one line for a status bar. It has no colour
// unless that was asked for.
func (s Style) StatusLine(v wire.LineView) string {
	var parts []string
	if r := v.Run; r != nil && r.State != "" {
		parts = append(parts, s.lineRun(*r))
	}
	c := v.Counts
	for _, p := range []struct {
		n            int
		what, colour string
	}{{c.Needs, "needs you", red}, {c.Halted + c.Asking - c.Needs, "halted", yellow}, {c.Waiting, "waiting", yellow}, {c.Running, "running", ""}, {c.Done, "done", green}, {c.Failed, "failed", red}} {
		if p.n > 0 {
			t := fmt.Sprintf("%d %s", p.n, p.what)
			if p.colour != "" {
				t = s.paint(p.colour, t)
			}
			parts = append(parts, t)
		}
	}
	if v.Usage.MicroUSD > 0 {
		parts = append(parts, phrase.USD(v.Usage.MicroUSD))
	}
	return s.lineOf(v, parts)
}

// lineOf puts the name in front, and how old the rest is where that is not now.
// What does not fit is left out from the end.
func (s Style) lineOf(v wire.LineView, parts []string) string {
	head, tail := "ap", ""
	switch {
	case len(parts) == 0 && (v.Daemon == wire.LineOn || v.Daemon == wire.LineIdle):
		parts = []string{wire.LineIdle}
	case v.Daemon == wire.LineIdle:
		head += " " + wire.LineIdle
	case v.Daemon != wire.LineOn:
		head += " " + Line(v.Daemon)
		if v.At.IsZero() {
			return "ap: " + Line(v.Daemon) + "\n"
		}
		tail = " (" + Age(max(0, s.since(v.At))) + " old)"
	}
	most := lineMost - columns(head) - 2 - columns(tail)
	for len(parts) > 1 && columns(uncoloured(strings.Join(parts, ", "))) > most {
		parts = parts[:len(parts)-1]
	}
	text := strings.Join(parts, ", ")
	if columns(uncoloured(text)) > most {
		text = s.cut(uncoloured(text), most)
	}
	return strings.TrimRight(strings.TrimSuffix(head+": "+text, ": "), " ") + tail + "\n"
}

// lineRun is the latest run of the directory.
func (s Style) lineRun(r wire.LineRun) string {
	t := Line(r.Handle) + " "
	switch {
	case r.State == "running" && r.Stage != "":
		t += Line(r.Stage)
	case r.Reason != "":
		t += Line(r.State) + ":" + Line(r.Reason)
	default:
		t += Line(r.State)
	}
	if r.Iteration > 0 {
		t += fmt.Sprintf(" %d/%d", r.Iteration, r.Iterations)
	}
	if quiet := s.quiet(r); quiet >= time.Minute {
		t += " quiet " + Age(quiet)
	}
	return t
}

// quiet is how long a live run has given no sign of life.
func (s Style) quiet(r wire.LineRun) time.Duration {
	if r.LastSign == nil || r.State != "running" {
		return 0
	}
	return max(0, s.since(*r.LastSign))
}

// lineFields are what a template may name.
var lineFields = map[string]func(Style, wire.LineView) string{
	"live":      func(_ Style, v wire.LineView) string { return fmt.Sprint(v.Counts.Live) },
	"running":   func(_ Style, v wire.LineView) string { return fmt.Sprint(v.Counts.Running) },
	"waiting":   func(_ Style, v wire.LineView) string { return fmt.Sprint(v.Counts.Waiting) },
	"halted":    func(_ Style, v wire.LineView) string { return fmt.Sprint(v.Counts.Halted) },
	"needs":     func(_ Style, v wire.LineView) string { return fmt.Sprint(v.Counts.Needs) },
	"done":      func(_ Style, v wire.LineView) string { return fmt.Sprint(v.Counts.Done) },
	"failed":    func(_ Style, v wire.LineView) string { return fmt.Sprint(v.Counts.Failed) },
	"cost":      func(_ Style, v wire.LineView) string { return fmt.Sprintf("%.2f", float64(v.Usage.MicroUSD)/1e6) },
	"tokens":    func(_ Style, v wire.LineView) string { return fmt.Sprint(v.Usage.Tokens) },
	"daemon":    func(_ Style, v wire.LineView) string { return Line(v.Daemon) },
	"age":       func(s Style, v wire.LineView) string { return age(s, v) },
	"run":       ofRun(func(_ Style, r wire.LineRun) string { return r.Handle }),
	"state":     ofRun(func(_ Style, r wire.LineRun) string { return r.State }),
	"reason":    ofRun(func(_ Style, r wire.LineRun) string { return r.Reason }),
	"stage":     ofRun(func(_ Style, r wire.LineRun) string { return r.Stage }),
	"phase":     ofRun(func(_ Style, r wire.LineRun) string { return r.Phase }),
	"iteration": ofRun(func(_ Style, r wire.LineRun) string { return fmt.Sprint(r.Iteration) }),
	"limit":     ofRun(func(_ Style, r wire.LineRun) string { return fmt.Sprint(r.Iterations) }),
	"quiet":     ofRun(func(s Style, r wire.LineRun) string { return fmt.Sprint(int(s.quiet(r).Seconds())) }),
}

// age is how old what is shown is, in seconds; empty where nothing is known.
func age(s Style, v wire.LineView) string {
	if v.At.IsZero() {
		return ""
	}
	return fmt.Sprint(int(max(0, s.since(v.At)).Seconds()))
}

func ofRun(f func(Style, wire.LineRun) string) func(Style, wire.LineView) string {
	return func(s Style, v wire.LineView) string {
		if v.Run == nil {
			return ""
		}
		return Line(f(s, *v.Run))
	}
}

// LineFields are the names that a template may have.
func LineFields() []string {
	names := make([]string, 0, len(lineFields))
	for n := range lineFields {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Template fills in the fields of a template: {name}. A brace that is meant is
// written twice. What is filled in is one line of at most 80 columns. The second
// result is a field that there is not, or a brace without its other one.
func (s Style) Template(t string, v wire.LineView) (line, bad string) {
	var b strings.Builder
	for t != "" {
		i := strings.IndexAny(t, "{}")
		if i < 0 {
			b.WriteString(t)
			break
		}
		b.WriteString(t[:i])
		brace, rest := t[i:i+1], t[i+1:]
		if strings.HasPrefix(rest, brace) {
			b.WriteString(brace)
			t = rest[1:]
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		f := lineFields[name]
		switch {
		case brace == "}" || !closed:
			return "", brace
		case f == nil:
			return "", name
		}
		b.WriteString(f(s, v))
		t = after
	}
	return s.cut(Line(b.String()), lineMost) + "\n", ""
}

// BadField is a template with a field that there is not.
func BadField(field string, near []string) *wire.Error {
	if field == "{" || field == "}" {
		return usage("write a field as {live}, and a brace that is meant twice", "--format has a %s without its other one", field)
	}
	hint := "the fields: " + strings.Join(LineFields(), " ")
	if len(near) > 0 {
		hint = "did you mean {" + near[0] + "}? " + hint
	}
	return usage(hint, "--format has no field %q", field)
}
