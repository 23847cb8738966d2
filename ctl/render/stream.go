package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events/wire"
)

// Envelope is a --json answer as one line.
func Envelope(schema string, data any) ([]byte, error) {
	b, err := json.Marshal(wire.Envelope{Schema: schema, Version: 1, Data: data})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", schema, err)
	}
	return append(b, '\n'), nil
}

// Event is a stored event as one line: sequence, time, by whom, type, and what
// happened. Where the daemon says nothing of that, its data is shown. The first
// version of a type is not worth its cells.
func (s Style) Event(f wire.EventFrame) string {
	if f.Damaged != "" {
		return s.cut("   -  damaged: "+Line(f.Damaged), s.Width) + "\n"
	}
	var e struct {
		Type    string         `json:"type"`
		Subject string         `json:"subject"`
		Time    time.Time      `json:"time"`
		Seq     uint64         `json:"seq"`
		Actor   string         `json:"actor"`
		Data    jsontext.Value `json:"data"`
	}
	if err := json.Unmarshal(f.Event, &e); err != nil {
		return fmt.Sprintf("an event that cannot be read: %v\n", err)
	}
	line := Line(f.Line)
	if line == "" {
		line = strings.Join(flat("", e.Data), " ")
	}
	head := fmt.Sprintf("%4d  %s  %s  %s", e.Seq, s.local(e.Time).Format("15:04:05.000"),
		pad(who(e.Actor), 8), strings.TrimSuffix(Line(e.Type), ".v1"))
	t := pad(head, 48) + "  " + line
	if f.Line != "" && s.Width > 0 && columns(t) > s.Width {
		return head + "\n" + s.wrap(line, "      ")
	}
	return s.cut(strings.TrimRight(t, " "), s.Width) + "\n"
}

// who is an actor in few words: daemon, person 0, user 0, agent, effect. The
// whole is in the JSON.
func who(actor string) string {
	kind, rest, _ := strings.Cut(Line(actor), ":")
	name, _, _ := strings.Cut(rest, "@")
	switch kind {
	case "local":
		return "user " + name
	case "person", "session", "key":
		return kind + " " + name
	}
	return kind
}

// flat writes a JSON object as name=value pairs; hashes are shortened.
func flat(prefix string, v jsontext.Value) []string {
	switch v.Kind() { //nolint:exhaustive // all other kinds are shown as they are written
	case '{':
		var m map[string]jsontext.Value
		if json.Unmarshal(v, &m) != nil {
			return nil
		}
		names := make([]string, 0, len(m))
		for n := range m {
			names = append(names, n)
		}
		slices.Sort(names)
		var out []string
		for _, n := range names {
			out = append(out, flat(prefix+Line(n)+".", m[n])...)
		}
		return out
	case '[':
		var l []jsontext.Value
		if json.Unmarshal(v, &l) != nil {
			return nil
		}
		var out []string
		for i, e := range l {
			out = append(out, flat(prefix+strconv.Itoa(i)+".", e)...)
		}
		return out
	case '"':
		var t string
		if json.Unmarshal(v, &t) != nil {
			return nil
		}
		return []string{strings.TrimSuffix(prefix, ".") + "=" + value(t)}
	}
	return []string{strings.TrimSuffix(prefix, ".") + "=" + string(v)}
}

func value(t string) string {
	t = Line(t)
	if len(t) == 40 || len(t) == 64 {
		return Hash(t)
	}
	if t == "" || strings.Contains(t, " ") {
		return strconv.Quote(t)
	}
	return t
}

// LogHead is the heading where the source of logs changes.
func (s Style) LogHead(f wire.LogFrame) string {
	t := "before the first iteration"
	if f.Iteration > 0 {
		t = fmt.Sprintf("iteration %d", f.Iteration)
	}
	if f.Attempt > 1 {
		t += fmt.Sprintf(" attempt %d", f.Attempt)
	}
	from := Line(f.Source)
	switch {
	case f.Role != "":
		from = fmt.Sprintf("role %s for gate %s", Line(f.Role), Line(f.Gate))
		if f.Agent != "" {
			from += ", agent " + Line(f.Agent)
		}
	case from != "agent":
		from = "gate " + from
	case f.Agent != "":
		from += " " + Line(f.Agent)
	}
	return s.paint(bold, fmt.Sprintf("==> %s, %s <==", t, from)) + "\n"
}

// LogGap stands for output that was not kept.
func (s Style) LogGap(n int64) string {
	return s.paint(dim, "[ "+Size(n)+" were not kept ]") + "\n"
}

// LogNote is what the daemon says of a source.
func (s Style) LogNote(text string) string {
	return s.paint(dim, "[ "+Line(text)+" ]") + "\n"
}

// DiffLine colours one clean line of a diff.
func (s Style) DiffLine(l string) string {
	switch {
	case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"), strings.HasPrefix(l, "diff "):
		return s.paint(bold, l)
	case strings.HasPrefix(l, "+"):
		return s.paint(green, l)
	case strings.HasPrefix(l, "-"):
		return s.paint(red, l)
	case strings.HasPrefix(l, "@@"):
		return s.paint(dim, l)
	}
	return l
}
