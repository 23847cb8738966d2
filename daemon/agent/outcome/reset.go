package outcome

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // texts name zones, and not every host has them

	"autopilot/daemon/agent/stream"
	"autopilot/projections/regex"
)

// reset is when a limit ends: as the stream gives it, else as a text says.
func reset(in Input, by Signal) (time.Time, Source) {
	s := in.Stream
	if s.Limited.Rejects() && near(s.Limited.Reset, in.Now) {
		return s.Limited.Reset, FromStream
	}
	texts := []string{s.Message, s.Trying.Message}
	// Gemini says of a quota only in its log when to come back.
	if by.Source == FromText || s.Format == stream.Gemini || s.Format.Lined() || s.Message == "" {
		lines := append(lastLines(s.Plain, maxLines), lastLines(s.Last, 1)...)
		for i := len(lines) - 1; i >= 0; i-- {
			texts = append(texts, lines[i])
		}
	}
	for _, t := range texts {
		if at, ok := ResetIn(t, in.Now, in.Zone); ok {
			return at, FromText
		}
	}
	return time.Time{}, ""
}

var (
	epochText = regex.New(`(?i)limit reached\|(\d{10})\b`)
	// clockText is "resets Oct 9, 5:12pm (Europe/Vilnius)", "try again at 5:12 PM",
	// "Try again at Oct 9th, 2026 5:12 PM", "resets tomorrow at 17:00 UTC".
	clockText = regex.New(`(?i)(?:\bresets?|try again|available again)(?: at| on)?\s+` +
		`(?:(?P<month>[a-z]{3})[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?,?\s+(?:at\s+)?` +
		`|(?P<when>today|tomorrow|(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*),?\s+(?:at\s+)?)?` +
		`(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?:\s*(?P<half>[ap])\.?m\b\.?)?` +
		`(?:\s*\((?P<zone>[A-Za-z_]+(?:/[A-Za-z0-9_+\-]+)*)\)|\s+(?P<short>[A-Z]{2,4})\b)?`)
	// dateText is "resets at 2026-10-09T17:00:00Z".
	dateText = regex.New(`(?i)(?:\bresets?|\bretry|try again|available)(?: again)?(?: at| on| after)?:?\s+(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))`)
	// dayText is "resets on December 1", "reset on 2026-12-01 at 00:30 UTC", "resets on 12/1/2026":
	// a day, at its beginning where no time is said.
	dayText = regex.New(`(?i)(?:\b(?:resets?|renews?|refreshes|retry|try again|available again|regain access)|\bcycle ends)(?: again)?(?: on| at| after)?\s+` +
		`(?:(?P<month>[a-z]{3})[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?|(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)|(?P<us>\d{1,2}/\d{1,2}/\d{4}))` +
		`(?:,?\s+(?:at\s+)?(?P<clock>\d\d:\d\d)(?::\d\d)?)?`)
	monthText = regex.New(`(?i)\b(?:resets?|renews?|refreshes|try again|available again)(?: on| at)?(?: the)?(?: (?:1st|first|start|beginning)(?: day)?(?: of)?(?: the)?)? next month\b`)
	spanText  = regex.New(`(?i)(?:\b(?:retry|try again|resets?|reset) (?:in|after)|"?retryDelay"?:)\s*"?((?:(?:and\s+)?\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b?[,\s]*)+)`)
	spanPart  = regex.New(`(?i)(\d+(?:\.\d+)?)\s*([dhms])`)
)

const (
	// slack is how long a clock without a date may have passed and still be meant.
	slack = 10 * time.Minute
	// farthest is how far off a limit can end: what says more is misread.
	farthest = 400 * 24 * time.Hour
)

// near says that a limit can end then.
func near(at, now time.Time) bool {
	return !at.IsZero() && (now.IsZero() || at.Before(now.Add(farthest)))
}

// ResetIn is the time in a text at which a limit ends; a date may have passed. A
// clock without a date is the next one; without a zone it is one of here. A
// length of time that is none, as "in 0s", names no time.
func ResetIn(t string, now time.Time, here *time.Location) (time.Time, bool) {
	at, ok := resetIn(t[:min(len(t), maxMatch)], now, here)
	if !ok || !near(at, now) {
		return time.Time{}, false
	}
	return at.UTC(), true
}

func resetIn(t string, now time.Time, here *time.Location) (time.Time, bool) {
	if m := epochText.FindStringSubmatch(t); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(n, 0), err == nil
	}
	if m := dateText.FindStringSubmatch(t); m != nil {
		at, err := time.Parse(time.RFC3339, strings.ToUpper(m[1]))
		return at, err == nil
	}
	if at, ok := dayIn(t, now, here); ok {
		return at, true
	}
	if m := clockText.FindStringSubmatch(t); m != nil {
		if c, ok := readClock(m, here); ok {
			return c.next(now)
		}
		return time.Time{}, false
	}
	return spanIn(t, now)
}

// dayIn reads a day, which begins in UTC where the text names that zone. A clock of
// twelve hours, or with a zone of its own, is for clockText.
func dayIn(t string, now time.Time, here *time.Location) (time.Time, bool) {
	if monthText.MatchString(t) {
		year, month, _ := now.In(here).Date()
		return time.Date(year, month+1, 1, 0, 0, 0, 0, here), true
	}
	at := dayText.FindStringSubmatchIndex(t)
	if at == nil || clockOf.MatchString(t[at[1]:]) {
		return time.Time{}, false
	}
	m := dayText.FindStringSubmatch(t)
	part := func(name string) string { return m[dayText.SubexpIndex(name)] }
	if strings.HasPrefix(strings.TrimSpace(t[at[1]:]), "UTC") {
		here = time.UTC
	}
	text, form := part("y")+"-"+part("m")+"-"+part("d"), "2006-01-02"
	switch {
	case part("us") != "":
		text, form = part("us"), "1/2/2006"
	case part("month") != "":
		name := part("month")
		text = strings.ToUpper(name[:1]) + strings.ToLower(name[1:]) + " " + part("day") + " " + cmp.Or(part("year"), strconv.Itoa(now.In(here).Year()))
		form = "Jan 2 2006"
	}
	if part("clock") != "" {
		text, form = text+" "+part("clock"), form+" 15:04"
	}
	day, err := time.ParseInLocation(form, text, here)
	if err == nil && part("month") != "" && part("year") == "" && day.Before(now.AddDate(0, -6, 0)) {
		day = day.AddDate(1, 0, 0)
	}
	return day, err == nil
}

// clockOf is a time of day that follows a date.
var clockOf = regex.New(`(?i)^,?\s+(?:at\s+)?\d{1,2}(?::\d\d)?\s*[ap]\.?m\b|^(?::\d\d)?\s*\((?:[a-z_]+/|utc|gmt)|^T\d\d:|^:\d\d\s*[ap]\.?m|^\s+[ap]\.?m\b`)

// spanIn reads a length of time from now on.
func spanIn(t string, now time.Time) (time.Time, bool) {
	m := spanText.FindStringSubmatch(t)
	if m == nil {
		return time.Time{}, false
	}
	unit := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}
	var span time.Duration
	for _, p := range spanPart.FindAllStringSubmatch(m[1], -1) {
		n, err := strconv.ParseFloat(p[1], 64)
		d := n * float64(unit[strings.ToLower(p[2])])
		if err != nil || d > float64(farthest) {
			return time.Time{}, false
		}
		span += time.Duration(d)
	}
	return now.Add(span), span > 0
}
