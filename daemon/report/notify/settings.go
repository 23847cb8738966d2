package notify

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/strictyaml"
	"autopilot/events/wire"
)

// Settings say who is told what. They are the member notify of the user's file.
type Settings struct {
	Rules []Rule `yaml:"rules"`
	// Quiet is the part of the day, in local time, in which nobody is told:
	// "22:00-07:00". What falls into it is told at its end, as one digest.
	Quiet string `yaml:"quiet"`
	// QuietPass are the kinds that are told at once all the same.
	QuietPass []string `yaml:"quiet_pass"`
}

// Rule is one way of telling, and what for. Exactly one of Run, Webhook, GitHub,
// Desktop and Bell is set.
type Rule struct {
	On      []string `yaml:"on"`      // kinds; none is all of them
	Run     string   `yaml:"run"`     // a command, by /bin/sh -c, with JSON on its standard input
	Webhook string   `yaml:"webhook"` // a URL that the JSON is posted to
	GitHub  string   `yaml:"github"`  // OWNER/NAME, or OWNER/NAME#24: comments at issues
	Desktop bool     `yaml:"desktop"` // a notification of the desktop
	Bell    bool     `yaml:"bell"`    // of the terminals that follow the run

	Draft  bool   `yaml:"draft"`  // with GitHub: what needs approval is pushed and shown as a draft pull request
	Remote string `yaml:"remote"` // with Draft: address that is pushed to
}

// Mistake is a setting that means nothing. Path is where it stands below notify,
// in the form of package strictyaml ("rules.0.on.1"), empty for all of it.
type Mistake struct{ Path, What, Fix string }

func (m *Mistake) Error() string {
	return strings.TrimPrefix(m.Path+": ", ": ") + m.What + ": " + m.Fix
}

// Check refuses settings that mean nothing. Its error is a *Mistake. Nothing is
// clamped.
func (s Settings) Check() error {
	for i, r := range s.Rules {
		if m := r.check(); m != nil {
			m.Path = strings.TrimSuffix(fmt.Sprintf("rules.%d.%s", i, m.Path), ".")
			return m
		}
	}
	if _, err := parseQuiet(s.Quiet); err != nil {
		return &Mistake{"quiet", err.Error(), `write it as "22:00-07:00"`}
	}
	if m := checkKinds("quiet_pass", s.QuietPass); m != nil {
		return m
	}
	if len(s.QuietPass) > 0 && s.Quiet == "" {
		return &Mistake{"quiet_pass", "there is no quiet time to pass", `add quiet: "22:00-07:00"`}
	}
	return nil
}

func (r Rule) check() *Mistake {
	if m := checkKinds("on", r.On); m != nil {
		return m
	}
	ways := 0
	for _, set := range []bool{r.Run != "", r.Webhook != "", r.GitHub != "", r.Desktop, r.Bell} {
		if set {
			ways++
		}
	}
	if ways != 1 {
		return &Mistake{"", fmt.Sprintf("a rule has one way to tell, found %d", ways), "write one of run, webhook, github, desktop: true and bell: true"}
	}
	if r.Webhook != "" {
		if m := checkURL(r.Webhook); m != nil {
			return m
		}
	}
	if _, err := wire.ParseTracker(r.GitHub); r.GitHub != "" && (err != nil || r.tracker().Repository == "") {
		return &Mistake{"github", fmt.Sprintf("%q is not a repository", r.GitHub), "write OWNER/NAME, or OWNER/NAME#24 for one issue"}
	}
	return r.checkDraft()
}

func checkKinds(path string, names []string) *Mistake {
	for i, name := range names {
		at := fmt.Sprintf("%s.%d", path, i)
		if !slices.Contains(Names(), name) {
			fix := "known are " + strings.Join(Names(), ", ")
			if near := strictyaml.Nearest(name, Names()); near != "" {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
			return &Mistake{at, fmt.Sprintf("unknown kind %q", name), fix}
		}
		if slices.Contains(names[:i], name) {
			return &Mistake{at, fmt.Sprintf("%q stands there twice", name), "take one of them out"}
		}
	}
	return nil
}

// checkURL does not repeat the URL: it is often a secret.
func checkURL(text string) *Mistake {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &Mistake{"webhook", "this is no URL of a web server", "write https://HOST/PATH"}
	}
	return nil
}

// matches says whether the rule is for a kind.
func (r Rule) matches(k Kind) bool {
	return len(r.On) == 0 || slices.Contains(r.On, string(k))
}

// quiet is a part of the day, in minutes since midnight. The zero quiet is none.
type quiet struct{ from, to int }

func parseQuiet(text string) (quiet, error) {
	if text == "" {
		return quiet{}, nil
	}
	a, b, ok := strings.Cut(text, "-")
	from, err1 := time.Parse("15:04", strings.TrimSpace(a))
	to, err2 := time.Parse("15:04", strings.TrimSpace(b))
	switch {
	case !ok || err1 != nil || err2 != nil:
		return quiet{}, fmt.Errorf("%q is not a part of a day", text)
	case from.Equal(to):
		return quiet{}, fmt.Errorf("%q is empty", text)
	}
	return quiet{minute(from), minute(to)}, nil
}

func minute(t time.Time) int { return t.Hour()*60 + t.Minute() }

// covers says whether now, in its own zone, is within the quiet time.
func (q quiet) covers(now time.Time) bool {
	m := minute(now)
	if q.from <= q.to {
		return q.from <= m && m < q.to
	}
	return m >= q.from || m < q.to
}
