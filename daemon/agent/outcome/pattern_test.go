package outcome

import (
	"regexp"
	"testing"

	"autopilot/daemon/agent/stream"
)

func TestEveryPatternFindsItsSamplesAndNoOtherOutcome(t *testing.T) {
	t.Parallel()
	file, err := parsePatterns(patternsYAML)
	if err != nil {
		t.Fatal(err)
	}
	date := regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)
	if !date.MatchString(file.Version) {
		t.Errorf("version %q", file.Version)
	}
	seen := map[string]bool{}
	for _, p := range file.Patterns {
		if seen[p.ID] || !date.MatchString(p.Date) || p.Date > file.Version || len(p.Samples) == 0 {
			t.Errorf("pattern %q: twice, without samples, or its date %q is none", p.ID, p.Date)
		}
		seen[p.ID] = true
		format := stream.Format(p.Program)
		if p.Program == "any" {
			format = "other"
		} else if stream.Of(p.Program) == stream.Text {
			t.Errorf("pattern %s: there is no program %q", p.ID, p.Program)
		}
		for _, s := range p.Samples {
			for _, line := range []bool{true, false} {
				for _, f := range []stream.Format{format, stream.Text} {
					for _, text := range []string{s, "Error: " + s} {
						if got, ok := match(f, text, line); !ok || got.outcome != p.outcome {
							t.Errorf("%s of %s, line %v: %q is %q (%s)", p.ID, f, line, text, got.outcome, got.ID)
						}
					}
				}
			}
		}
	}
}

func TestTextAboutFailuresIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"The rate limiting has a race.", "I fixed the handling of 429 Too Many Requests.", "Tests for 'Prompt is too long' pass.",
		"func overloadedError() {", "docs: Rate limit exceeded is retried",
		"When the credit balance is too low we stop.", "unauthorizedUsers are listed",
	} {
		if p, ok := match(stream.Text, line, true); ok {
			t.Errorf("%q is %s", line, p.ID)
		}
	}
}

func TestAPatternFileIsStrict(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"version: a\npatterns: [{id: x, outcome: none, match: x}]\n",
		"version: a\npatterns: [{id: x, outcome: billing, match: '('}]\n",
		"version: a\npatterns: [{id: x, outcom: billing}]\n",
	} {
		if _, err := parsePatterns([]byte(src)); err == nil {
			t.Errorf("%q is taken", src)
		}
	}
}
