package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Launch says whether a run may be launched without asking a person: each gate
// with its value, and what a person would look at.
func (s Style) Launch(v wire.LaunchView) string {
	var b strings.Builder
	t := s.paint(green, "suitable") + ": a run may be launched here without asking a person"
	if !v.Suitable {
		t = s.paint(red, "not suitable") + ": ask a person before a run is launched here"
	}
	b.WriteString(t + "\n")
	var rows, warned [][]string
	for _, g := range v.Gates {
		rows = append(rows, []string{s.launchVerdict(g), Line(g.Gate), launchSays(g, v.Policy)})
		if w := launchWarns(g); w != "" {
			warned = append(warned, []string{Line(g.Gate), w})
		}
	}
	b.WriteString(table(rows))
	b.WriteString(s.section("warnings", table(warned)))
	rows = nil
	for _, h := range v.Halts {
		rows = append(rows, []string{Line(h.Reason), count(h.Runs, "run"), "latest " + Line(h.Latest)})
	}
	b.WriteString(s.section("what has stopped runs here", table(rows)))
	return b.String() + s.next(launchNext(v))
}

func (s Style) launchVerdict(g wire.LaunchGate) string {
	switch {
	case !g.Pass:
		return s.paint(red, "fail")
	case g.Omitted:
		return s.paint(yellow, "omitted")
	}
	return s.paint(green, "pass")
}

// launchSays is a gate with its value.
func launchSays(g wire.LaunchGate, policy string) string {
	value, limit := Line(g.Value), Line(g.Limit)
	fired, runs, _ := strings.Cut(value, "/")
	rate := fmt.Sprintf("%s of %s runs here were stopped by a fault", fired, runs)
	switch g.Reason {
	case "reached":
		return value + ", at least " + limit
	case "below":
		return value + " is less than " + limit
	case "malformed":
		return fmt.Sprintf("%q is not a number from 0 to 1", value)
	case "rare":
		return rate + ", less than " + limit
	case "often":
		return rate + ", " + limit + " or more"
	case "few-runs":
		return rate + ", too few to judge by"
	case "unread":
		return "the history of runs cannot be read"
	case "red":
		return "the last build is red"
	case "not-red":
		return "the last build is " + value
	case "bears", "critical":
		return fmt.Sprintf("the machine is %s, by %s", value, Line(policy))
	case "unknown":
		return "how the machine stands is not known"
	}
	return "not given"
}

// launchWarns is what a gate lets pass, and a person would look at.
func launchWarns(g wire.LaunchGate) string {
	switch g.Warning {
	case "bad-floor":
		return "--floor is not a number from 0 to 1, so " + Line(g.Limit) + " counts"
	case "few-runs":
		return "under five runs say nothing, so it was left out"
	case "unread":
		return "apctl doctor   says why"
	case "missing":
		return "the result of the last build is missing: --ci green or red"
	case "other-word":
		return fmt.Sprintf("%q is neither green nor red; only red closes it", Line(g.Value))
	case "unknown":
		return "resources.policy is off, so nobody looks at the machine"
	}
	return ""
}

func launchNext(v wire.LaunchView) (out []wire.NextCommand) {
	for _, g := range v.Gates {
		switch {
		case g.Pass:
		case g.Gate == "confidence" && g.Reason != "below":
			out = append(out, wire.NextCommand{Command: "apctl probe launch --confidence 0.72", Why: "a share from 0 to 1, of who would launch it"})
		case g.Gate == "kill-rate" && len(v.Halts) > 0:
			out = append(out, wire.NextCommand{Command: "apctl why " + Word(Line(v.Halts[0].Latest)), Why: "how the latest was stopped"})
		case g.Gate == "resources":
			out = append(out, wire.NextCommand{Command: "apctl probe", Why: "what the machine lacks, and who waits for it"})
		}
	}
	return out
}
