package notify

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/strictyaml"
)

func TestSettingsThatMeanNothingAreRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		s    Settings
		want *Mistake
	}{
		{"none at all", Settings{}, nil},
		{"every way", Settings{Rules: []Rule{
			{Run: "mail me"},
			{On: []string{"done"}, Webhook: "https://example.org/x"},
			{On: []string{"halted", "died"}, Desktop: true},
			{GitHub: "owner/name"},
			{GitHub: "owner/name#24"},
			{Bell: true},
		}, Quiet: "22:00-07:00", QuietPass: []string{"needs_person"}}, nil},
		{
			"a kind with a slip",
			Settings{Rules: []Rule{{Bell: true}, {On: []string{"done", "haltd"}, Bell: true}}},
			&Mistake{"rules.1.on.1", `unknown kind "haltd"`, `did you mean "halted"?`},
		},
		{
			"a kind that is far off",
			Settings{Rules: []Rule{{On: []string{"weather"}, Bell: true}}},
			&Mistake{"rules.0.on.0", `unknown kind "weather"`, "known are needs_person, halted, done, waiting_limit, died, budget_low"},
		},
		{
			"a kind twice",
			Settings{Rules: []Rule{{On: []string{"done", "done"}, Bell: true}}},
			&Mistake{"rules.0.on.1", `"done" stands there twice`, "take one of them out"},
		},
		{
			"no way",
			Settings{Rules: []Rule{{On: []string{"done"}}}},
			&Mistake{"rules.0", "a rule has one way to tell, found 0", "write one of run, webhook, github, desktop: true and bell: true"},
		},
		{
			"two ways",
			Settings{Rules: []Rule{{Run: "true", Bell: true}}},
			&Mistake{"rules.0", "a rule has one way to tell, found 2", "write one of run, webhook, github, desktop: true and bell: true"},
		},
		{
			"a file as URL",
			Settings{Rules: []Rule{{Webhook: "file:///etc/passwd"}}},
			&Mistake{"rules.0.webhook", "this is no URL of a web server", "write https://HOST/PATH"},
		},
		{
			"an issue of nothing",
			Settings{Rules: []Rule{{GitHub: "#24"}}},
			&Mistake{"rules.0.github", `"#24" is not a repository`, "write OWNER/NAME, or OWNER/NAME#24 for one issue"},
		},
		{
			"an option as repository",
			Settings{Rules: []Rule{{GitHub: "--web/x"}}},
			&Mistake{"rules.0.github", `"--web/x" is not a repository`, "write OWNER/NAME, or OWNER/NAME#24 for one issue"},
		},
		{
			"a quiet time without end",
			Settings{Quiet: "22:00"},
			&Mistake{"quiet", `"22:00" is not a part of a day`, `write it as "22:00-07:00"`},
		},
		{
			"a quiet hour that does not exist",
			Settings{Quiet: "22:00-24:30"},
			&Mistake{"quiet", `"22:00-24:30" is not a part of a day`, `write it as "22:00-07:00"`},
		},
		{
			"an empty quiet time",
			Settings{Quiet: "07:00-07:00"},
			&Mistake{"quiet", `"07:00-07:00" is empty`, `write it as "22:00-07:00"`},
		},
		{
			"a pass without quiet time",
			Settings{QuietPass: []string{"done"}},
			&Mistake{"quiet_pass", "there is no quiet time to pass", `add quiet: "22:00-07:00"`},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got *Mistake
			errors.As(tc.s.Check(), &got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSettingsAreReadFromYAML(t *testing.T) {
	t.Parallel()
	doc, err := strictyaml.Parse([]byte(`
rules:
  - on: [needs_person, halted]
    run: ./tell.sh
  - webhook: https://example.org/hook
  - {on: [done], desktop: true}
  - bell: true
quiet: "22:00-07:00"
quiet_pass: [needs_person]
`))
	if err != nil {
		t.Fatal(err)
	}
	var got Settings
	if err := doc.Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := Settings{
		Rules: []Rule{
			{On: []string{"needs_person", "halted"}, Run: "./tell.sh"},
			{Webhook: "https://example.org/hook"},
			{On: []string{"done"}, Desktop: true},
			{Bell: true},
		},
		Quiet: "22:00-07:00", QuietPass: []string{"needs_person"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := got.Check(); err != nil {
		t.Error(err)
	}
}

func TestQuietTimeIsPartOfTheDay(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		quiet, now string
		covers     bool
	}{
		{"", "2026-03-01T23:00:00Z", false},
		{"22:00-07:00", "2026-03-01T21:59:59Z", false},
		{"22:00-07:00", "2026-03-01T22:00:00Z", true},
		{"22:00-07:00", "2026-03-02T00:00:00Z", true},
		{"22:00-07:00", "2026-03-02T06:59:59Z", true},
		{"22:00-07:00", "2026-03-02T07:00:00Z", false},
		{"12:00-13:30", "2026-03-01T13:29:00Z", true},
		{"12:00-13:30", "2026-03-01T13:30:00Z", false},
		{"12:00-13:30", "2026-03-01T11:59:00Z", false},
		{"00:00-06:00", "2026-12-31T00:00:00Z", true},
		{"23:00-00:00", "2026-12-31T23:30:00Z", true},
	} {
		q, err := parseQuiet(tc.quiet)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(time.RFC3339, tc.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.covers(now); got != tc.covers {
			t.Errorf("%q covers %s: %v, want %v", tc.quiet, tc.now, got, tc.covers)
		}
	}
}
