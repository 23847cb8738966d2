package outcome

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // texts name zones, and not every host has them
)

// reset is when a limit ends: as the stream gives it, else as a text says.
func reset(in Input, by Signal) (time.Time, Source) {
	s := in.Stream
	if s.Limited.Rejects() && !s.Limited.Reset.IsZero() {
		return s.Limited.Reset, FromStream
	}
	texts := []string{s.Message}
	if by.Source == FromText || s.Format.Lined() || s.Message == "" {
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
	epochText = regexp.MustCompile(`(?i)limit reached\|(\d{10})\b`)
	// clockText is "resets Oct 9, 5:12pm (Europe/Vilnius)", "try again at 5:12 PM",
	// "Try again at Oct 9th, 2026 5:12 PM".
	clockText = regexp.MustCompile(`(?i)(?:\bresets?|try again|available again)(?: at| on)?\s+` +
		`(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?,?\s+(?:at\s+)?)?` +
		`(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?(?:\s*\(([A-Za-z_]+(?:/[A-Za-z0-9_+\-]+)*)\))?`)
	spanText = regexp.MustCompile(`(?i)(?:\b(?:retry|try again|resets?|reset) (?:in|after)|"?retryDelay"?:)\s*"?((?:(?:and\s+)?\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b?[,\s]*)+)`)
	spanPart = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*([dhms])`)
)

// slack is how long a named time may have passed and still be meant.
const slack = 10 * time.Minute

// ResetIn is the time in a text at which a limit ends. A clock without a date is
// the next one; without a zone it is one of here. A length of time that is none,
// as "in 0s", names no time.
func ResetIn(t string, now time.Time, here *time.Location) (time.Time, bool) {
	at, ok := resetIn(t, now, here)
	if !ok || at.IsZero() {
		return time.Time{}, false
	}
	return at, true
}

func resetIn(t string, now time.Time, here *time.Location) (time.Time, bool) {
	t = t[:min(len(t), maxMatch)]
	if m := epochText.FindStringSubmatch(t); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(n, 0).UTC(), err == nil
	}
	if m := clockText.FindStringSubmatch(t); m != nil {
		return clock(m, now, here)
	}
	m := spanText.FindStringSubmatch(t)
	if m == nil {
		return time.Time{}, false
	}
	unit := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}
	var span time.Duration
	for _, p := range spanPart.FindAllStringSubmatch(m[1], -1) {
		n, err := strconv.ParseFloat(p[1], 64)
		if err != nil || n > 1e5 {
			return time.Time{}, false
		}
		span += time.Duration(n * float64(unit[strings.ToLower(p[2])]))
	}
	return now.Add(span).UTC(), span > 0
}

// clock reads what clockText found.
func clock(m []string, now time.Time, here *time.Location) (time.Time, bool) {
	zone := here
	if m[7] != "" {
		z, err := time.LoadLocation(m[7])
		if err != nil || m[7] == "Local" {
			return time.Time{}, false
		}
		zone = z
	}
	hour, _ := strconv.Atoi(m[4])
	minute, _ := strconv.Atoi(m[5])
	if hour < 1 || hour > 12 || minute > 59 {
		return time.Time{}, false
	}
	hour %= 12
	if strings.EqualFold(m[6], "p") {
		hour += 12
	}
	local := now.In(zone)
	year, month, day := local.Date()
	if m[1] == "" {
		at := time.Date(year, month, day, hour, minute, 0, 0, zone)
		if at.Before(now.Add(-slack)) {
			at = time.Date(year, month, day+1, hour, minute, 0, 0, zone)
		}
		return at.UTC(), true
	}
	named, err := time.Parse("Jan", strings.ToUpper(m[1][:1])+strings.ToLower(m[1][1:]))
	if err != nil {
		return time.Time{}, false
	}
	day, _ = strconv.Atoi(m[2])
	if m[3] != "" {
		year, _ = strconv.Atoi(m[3])
	}
	at := time.Date(year, named.Month(), day, hour, minute, 0, 0, zone)
	if at.Day() != day {
		return time.Time{}, false
	}
	if m[3] == "" && at.Before(now.Add(-slack)) {
		at = at.AddDate(1, 0, 0)
	}
	return at.UTC(), true
}
