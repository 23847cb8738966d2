package outcome

import (
	"strconv"
	"strings"
	"time"
)

// clock is a time of day that a text names, with a date or without.
type clock struct {
	year         int // 0 is not said
	month        time.Month
	day          int // of the month; 0 is not said
	weekday      int // -1 is not said
	later        int // days from today
	dated        bool
	hour, minute int
	zone         *time.Location
}

// shortZones are what people call zones. Those of more than one meaning are
// read as in America.
var shortZones = map[string]string{
	"UTC": "UTC", "GMT": "UTC", "PT": "America/Los_Angeles", "MT": "America/Denver", "CT": "America/Chicago", "ET": "America/New_York",
}

var shortOffsets = map[string]int{
	"PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "JST": 9,
}

// readClock reads what clockText found.
func readClock(m []string, here *time.Location) (clock, bool) {
	at := func(name string) string { return m[clockText.SubexpIndex(name)] }
	number := func(name string) int {
		n, _ := strconv.Atoi(at(name)) // digits, few of them
		return n
	}
	c := clock{weekday: -1, hour: number("hour"), minute: number("minute"), zone: here}
	if !c.half(at("half"), at("minute") != "") {
		return c, false
	}
	if long := at("zone"); long != "" {
		if c.zone = zoneOf(long); c.zone == nil {
			return c, false
		}
	} else if z := zoneOf(at("short")); z != nil {
		c.zone = z // any other word goes on with the sentence
	}
	if at("month") != "" {
		name := at("month")
		named, err := time.Parse("Jan", strings.ToUpper(name[:1])+strings.ToLower(name[1:]))
		if err != nil {
			return c, false
		}
		c.dated, c.year, c.month, c.day = true, number("year"), named.Month(), number("day")
	}
	switch when := strings.ToLower(at("when")); when {
	case "":
	case "today":
		c.dated = true
	case "tomorrow":
		c.dated, c.later = true, 1
	default:
		c.weekday = strings.Index("sunmontuewedthufrisat", when[:3]) / 3
	}
	return c, true
}

// half makes the hour one of 24.
func (c *clock) half(half string, minutes bool) bool {
	if c.minute > 59 {
		return false
	}
	if half == "" {
		return minutes && c.hour < 24
	}
	if c.hour < 1 || c.hour > 12 {
		return false
	}
	c.hour %= 12
	if strings.EqualFold(half, "p") {
		c.hour += 12
	}
	return true
}

// zoneOf is nil for what is no zone.
func zoneOf(name string) *time.Location {
	if hours, ok := shortOffsets[name]; ok {
		return time.FixedZone(name, hours*3600)
	}
	if long, ok := shortZones[name]; ok {
		name = long
	} else if !strings.Contains(name, "/") {
		return nil
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return z
}

// next is when the clock shows that time, from now on.
func (c clock) next(now time.Time) (time.Time, bool) {
	year, month, day := now.In(c.zone).Date()
	switch {
	case c.day > 0:
		return c.onDate(now, year)
	case c.dated:
		return c.on(now, year, month, day+c.later), true
	}
	for range 9 { // a week has a change of clocks at most
		at := c.on(now, year, month, day)
		if !at.Before(now.Add(-slack)) && (c.weekday < 0 || at.In(c.zone).Weekday() == time.Weekday(c.weekday)) {
			return at, true
		}
		day++
	}
	return time.Time{}, false
}

// onDate is a date of this year, or where that is long past of the next.
func (c clock) onDate(now time.Time, year int) (time.Time, bool) {
	if c.year > 0 {
		year = c.year
	}
	at := c.on(now, year, c.month, c.day)
	if c.year == 0 && at.Before(now.AddDate(0, -6, 0)) {
		at = c.on(now, year+1, c.month, c.day)
	}
	return at, at.In(c.zone).Day() == c.day
}

// on is that time of a day. When the clock shows it twice, as it goes back, it
// is the first that is still to come.
func (c clock) on(now time.Time, year int, month time.Month, day int) time.Time {
	at := time.Date(year, month, day, c.hour, c.minute, 0, 0, c.zone)
	local := at.In(c.zone)
	for _, change := range []time.Duration{-time.Hour, -30 * time.Minute, 30 * time.Minute, time.Hour} {
		other := at.Add(change)
		if o := other.In(c.zone); o.Hour() != local.Hour() || o.Minute() != local.Minute() {
			continue
		}
		first, second := at, other
		if change < 0 {
			first, second = other, at
		}
		if first.Before(now.Add(-slack)) {
			return second
		}
		return first
	}
	return at
}
