package render

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events/wire"
	"autopilot/projections/retro/sheet"
)

// foreign is a text of others that would steer a terminal: sequences, controls,
// marks that reorder, separators, tags.
const foreign = "a\x1b[2J\x1b]0;t\x07\x9b31m\rb\u202ec\u2066d\u200ee\u2028f\U000e0041\x00\x7f<b>g</b>\ttail\nnext"

// filled sets everything that a view can hold: all texts to the foreign one.
func filled[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), 0)
	return v
}

func fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(noon))
		return
	case jsontext.Value:
		v.SetBytes(jsontext.Value(`{}`))
		return
	}
	switch v.Kind() { //nolint:exhaustive // views hold no others
	case reflect.String:
		v.SetString(foreign)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(3)
	case reflect.Uint64:
		v.SetUint(3)
	case reflect.Float64:
		v.SetFloat(3)
	case reflect.Bool:
		v.SetBool(depth%2 == 0)
	case reflect.Pointer:
		if depth < 9 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), depth+1)
			}
		}
	}
}

func TestNoTextOfOthersSteersATerminal(t *testing.T) {
	t.Parallel()
	event, err := json.Marshal(map[string]any{"type": foreign, "subject": foreign, "time": noon, "seq": 3, "actor": foreign, "data": map[string]any{foreign: foreign, "list": []string{foreign}}}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]func(Style) string{
		"why":    func(s Style) string { return s.Why(filled[wire.WhyView]()) + s.End(filled[wire.WhyView]()) },
		"report": func(s Style) string { v := filled[wire.ReportView](); return s.Report(v) + s.Home(v) },
		"inbox":  func(s Style) string { return s.Inbox(filled[wire.InboxView]()) },
		"status": func(s Style) string { v := filled[wire.RunView](); return s.Status(v) + s.Live(v) },
		"list":   func(s Style) string { return s.List(filled[wire.ListReply]()) },
		"replay": func(s Style) string { v := filled[wire.ReplayFrame](); return s.ReplayLine(v) + s.ReplayAt(v) },
		"usage":  func(s Style) string { return s.Usage(filled[wire.UsageReport]()) },
		"line":   func(s Style) string { return s.StatusLine(filled[wire.LineView]()) },
		"template": func(s Style) string {
			l, _ := s.Template(foreign+"{run} {state} {reason} {stage} {phase} {daemon}", filled[wire.LineView]())
			return l
		},
		"logs": func(s Style) string { return s.LogHead(filled[wire.LogFrame]()) + s.LogNote(foreign) },
		"event": func(s Style) string {
			return s.Event(wire.EventFrame{Event: event}) + s.Event(wire.EventFrame{Event: event, Line: foreign}) + s.Event(wire.EventFrame{Damaged: foreign})
		},
		"peers": func(s Style) string {
			return s.Peers(filled[wire.PeersView]()) + s.Peers(wire.PeersView{Sources: filled[[]wire.PeerSource]()})
		},
		"peer check": func(s Style) string {
			v := filled[wire.PeerCheckView]()
			v.Joined = false
			return s.PeerCheck(v, true) + s.PeerCheck(filled[wire.PeerCheckView](), false) + s.PeerSent(filled[wire.PeerSentView]())
		},
		"peer read": func(s Style) string {
			v := filled[wire.PeerMailView]()
			v.Messages[0].Gone, v.Messages[1].Gone, v.Messages[1].From = false, false, ""
			return s.PeerMail(v, true)
		},
		"claims": func(s Style) string {
			v := filled[wire.ClaimsView]()
			free, pinless := filled[wire.ClaimsView](), filled[wire.ClaimsView]()
			free.Claims[0].Forced, pinless.PIN = false, false
			return s.Claims(v, true) + s.Taken(v) + s.Dropped(v) + s.Dropped(free) + s.ForceAsk(v) + s.ForceAsk(pinless) + NotForcedAs(v.Claims[0], foreign).Error()
		},
		"retro": func(s Style) string {
			v := filled[wire.RetroView]()
			one := sheet.Make(v, time.UTC, RetroLimits())
			v.Run = nil
			return s.Retro(one) + s.Retro(sheet.Make(v, time.UTC, RetroLimits()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range []Style{{Now: noon}, {Now: noon, Width: 80}, {Now: noon, Width: 24, ASCII: true}} {
				got := text(s)
				if !strings.Contains(got, "a") {
					t.Fatalf("nothing of it is shown: %q", got)
				}
				for i, r := range got {
					if r != '\n' && r != '\t' && steers(r) || r == 0x2028 || r == 0x2029 {
						t.Fatalf("width %d: %U in %q", s.Width, r, got[max(0, i-60):min(len(got), i+20)])
					}
				}
			}
		})
	}
}
