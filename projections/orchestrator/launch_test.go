package orchestrator

import (
	"testing"
)

// Seeds 2.4, G1.
func TestConfidenceIsClosedWhereItIsMissingOrMalformed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		confidence, floor string
		want              LaunchGate
	}{
		"above the floor":                   {"0.72", "0.5", LaunchGate{Pass: true, Limit: "0.5", Reason: LaunchReached}},
		"at the floor":                      {"0.72", "0.72", LaunchGate{Pass: true, Limit: "0.72", Reason: LaunchReached}},
		"just below the floor":              {"0.7199", "0.72", LaunchGate{Limit: "0.72", Reason: LaunchBelow}},
		"no floor is 0.5":                   {"0.5", "", LaunchGate{Pass: true, Limit: "0.5", Reason: LaunchReached}},
		"no floor is never 0":               {"0.49", " ", LaunchGate{Limit: "0.5", Reason: LaunchBelow}},
		"a floor that is no number":         {"0.49", "low", LaunchGate{Limit: "0.5", Reason: LaunchBelow, Warning: LaunchBadFloor}},
		"a floor that is not finite":        {"0.6", "NaN", LaunchGate{Pass: true, Limit: "0.5", Reason: LaunchReached, Warning: LaunchBadFloor}},
		"an infinite floor":                 {"0.6", "Infinity", LaunchGate{Pass: true, Limit: "0.5", Reason: LaunchReached, Warning: LaunchBadFloor}},
		"a floor above 1":                   {"0.6", "1.01", LaunchGate{Pass: true, Limit: "0.5", Reason: LaunchReached, Warning: LaunchBadFloor}},
		"a floor below 0":                   {"0.4", "-0.1", LaunchGate{Limit: "0.5", Reason: LaunchBelow, Warning: LaunchBadFloor}},
		"a floor of 0, as somebody said so": {"0", "0", LaunchGate{Pass: true, Limit: "0", Reason: LaunchReached}},
		"a floor of 1":                      {"1", "1", LaunchGate{Pass: true, Limit: "1", Reason: LaunchReached}},
		"numbers as text with room around":  {" 0.9 ", "\t0.85\n", LaunchGate{Pass: true, Limit: "0.85", Reason: LaunchReached}},
		"missing":                           {"", "0.5", LaunchGate{Limit: "0.5", Reason: LaunchMissing}},
		"blank":                             {"  ", "", LaunchGate{Limit: "0.5", Reason: LaunchMissing}},
		"missing, with a floor of 0":        {"", "0", LaunchGate{Limit: "0", Reason: LaunchMissing}},
		"no number":                         {"high", "", LaunchGate{Limit: "0.5", Reason: LaunchMalformed}},
		"not a number":                      {"NaN", "0", LaunchGate{Limit: "0", Reason: LaunchMalformed}},
		"infinite":                          {"Infinity", "", LaunchGate{Limit: "0.5", Reason: LaunchMalformed}},
		"too large for a number":            {"1e999", "", LaunchGate{Limit: "0.5", Reason: LaunchMalformed}},
		"a percentage is no share":          {"72", "", LaunchGate{Limit: "0.5", Reason: LaunchMalformed}},
		"less than nothing":                 {"-1", "0", LaunchGate{Limit: "0", Reason: LaunchMalformed}},
	} {
		gates, _ := Launch(LaunchAsk{Confidence: tt.confidence, Floor: tt.floor})
		got := gates[0]
		got.Name, got.Value = "", ""
		if got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}

// Seeds 2.4, G2; S44: fewer than five are said to be few, and their number is shown.
func TestTheKillRateOfARepositoryIsStrictlyBelowOneInFive(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		history *LaunchHistory
		want    LaunchGate
	}{
		"no history can be read":               {nil, LaunchGate{Pass: true, Omitted: true, Reason: LaunchUnread, Warning: LaunchUnread}},
		"none yet":                             {&LaunchHistory{}, LaunchGate{Pass: true, Omitted: true, Value: "0/0", Reason: LaunchFewRuns, Warning: LaunchFewRuns}},
		"four, all of them halted":             {&LaunchHistory{4, 4}, LaunchGate{Pass: true, Omitted: true, Value: "4/4", Reason: LaunchFewRuns, Warning: LaunchFewRuns}},
		"five, none of them halted":            {&LaunchHistory{5, 0}, LaunchGate{Pass: true, Value: "0/5", Reason: LaunchRare}},
		"Q7: one of five is not less than 0.2": {&LaunchHistory{5, 1}, LaunchGate{Value: "1/5", Reason: LaunchOften}},
		"one of six":                           {&LaunchHistory{6, 1}, LaunchGate{Pass: true, Value: "1/6", Reason: LaunchRare}},
		"S44: long ago counts too":             {&LaunchHistory{1000, 199}, LaunchGate{Pass: true, Value: "199/1000", Reason: LaunchRare}},
		"exactly one in five of many":          {&LaunchHistory{1000, 200}, LaunchGate{Value: "200/1000", Reason: LaunchOften}},
	} {
		gates, _ := Launch(LaunchAsk{History: tt.history})
		tt.want.Name, tt.want.Limit = "kill-rate", "1/5"
		if gates[1] != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, gates[1], tt.want)
		}
	}
}

// Seeds 2.4, G3 and G4.
func TestCIAndTheMachineAreOpenWhereNothingIsKnown(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]LaunchGate{
		"red":     {Reason: LaunchRed},
		"green":   {Pass: true, Reason: LaunchNotRed},
		"":        {Pass: true, Reason: LaunchMissing, Warning: LaunchMissing},
		" ":       {Pass: true, Reason: LaunchMissing, Warning: LaunchMissing},
		"RED":     {Pass: true, Reason: LaunchNotRed, Warning: LaunchOtherWord}, // exactly red, as there
		"red ":    {Pass: true, Reason: LaunchNotRed, Warning: LaunchOtherWord},
		"running": {Pass: true, Reason: LaunchNotRed, Warning: LaunchOtherWord},
	} {
		gates, _ := Launch(LaunchAsk{CI: given})
		want.Name, want.Limit, want.Value = "ci", "red", gates[2].Value
		if gates[2] != want {
			t.Errorf("ci %q: got %+v, want %+v", given, gates[2], want)
		}
	}
	for given, want := range map[string]LaunchGate{
		"critical": {Reason: LaunchCritical}, " Critical\n": {Reason: LaunchCritical}, "CRITICAL": {Reason: LaunchCritical},
		"green": {Pass: true, Reason: LaunchBears}, "warn": {Pass: true, Reason: LaunchBears}, "degraded": {Pass: true, Reason: LaunchBears},
		"": {Pass: true, Reason: LaunchUnknown, Warning: LaunchUnknown}, "off": {Pass: true, Reason: LaunchUnknown, Warning: LaunchUnknown},
	} {
		gates, _ := Launch(LaunchAsk{Resources: given})
		want.Name, want.Limit, want.Value = "resources", "critical", gates[3].Value
		if gates[3] != want {
			t.Errorf("resources %q: got %+v, want %+v", given, gates[3], want)
		}
	}
}

func TestALaunchIsSuitableWhenEveryGatePasses(t *testing.T) {
	t.Parallel()
	good := LaunchAsk{Confidence: "0.9", Floor: "0.85", History: &LaunchHistory{9, 1}, CI: "green", Resources: "warn"}
	for name, tt := range map[string]struct {
		change func(*LaunchAsk)
		want   bool
	}{
		"all of them":         {func(*LaunchAsk) {}, true},
		"only confidence":     {func(a *LaunchAsk) { *a = LaunchAsk{Confidence: "0.9"} }, true},
		"nothing is known":    {func(a *LaunchAsk) { *a = LaunchAsk{} }, false},
		"G1 alone":            {func(a *LaunchAsk) { a.Confidence = "0.84" }, false},
		"G2 alone":            {func(a *LaunchAsk) { a.History.Fired = 2 }, false},
		"G3 alone":            {func(a *LaunchAsk) { a.CI = "red" }, false},
		"G4 alone":            {func(a *LaunchAsk) { a.Resources = "critical" }, false},
		"words without sense": {func(a *LaunchAsk) { a.Floor, a.CI, a.Resources = "\x00\xff", "\xff", "\xff" }, true},
	} {
		h := *good.History
		ask := good
		ask.History = &h
		tt.change(&ask)
		if gates, suitable := Launch(ask); suitable != tt.want || len(gates) != 4 {
			t.Errorf("%s: %t %+v", name, suitable, gates)
		}
	}
}
