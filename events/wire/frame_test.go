package wire_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events/wire"
)

func TestFrameSurvivesARoundTrip(t *testing.T) {
	t.Parallel()
	codes := []wire.Code{
		wire.OK, wire.Usage, wire.Failed, wire.NotFound, wire.Conflict, wire.TimedOut, wire.Denied,
		wire.CursorExpired, wire.Full, wire.Newer,
	}
	rapid.Check(t, func(t *rapid.T) {
		f := wire.Frame{
			N:       rapid.IntRange(1, 1<<30).Draw(t, "n"),
			Payload: rapid.SliceOf(rapid.Byte()).Draw(t, "payload"),
		}
		if rapid.Bool().Draw(t, "last") {
			f.Code = rapid.SampledFrom(codes).Draw(t, "code")
			f.Message = rapid.String().Draw(t, "message")
			f.Hint = rapid.String().Draw(t, "hint")
		}
		h := f.Header()
		for name, v := range h {
			if strings.ContainsAny(v[0], "\r\n\x00") {
				t.Fatalf("header %s has a line end: %q", name, v[0])
			}
		}
		got, err := wire.ParseFrame(h, f.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestFinalFrameCarriesTheError(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", wire.MaxText)
	for _, tc := range []struct {
		name string
		err  error
		want *wire.Error
	}{
		{"no error is ok", nil, nil},
		{"an error with a code keeps it", wire.Errorf(wire.NotFound, "run x is not known").WithHint("try ls"), &wire.Error{Code: wire.NotFound, Message: "run x is not known", Hint: "try ls"}},
		{"a wrapped error keeps its code", errors.Join(errors.New("other"), wire.Errorf(wire.Denied, "no")), &wire.Error{Code: wire.Denied, Message: "no"}},
		{"any other error has failed", errors.New("line one\nline two"), &wire.Error{Code: wire.Failed, Message: "line one\nline two"}},
		{"a long text is cut at a whole character", errors.New(long), &wire.Error{Code: wire.Failed, Message: long[:wire.MaxText-1]}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f, err := wire.ParseFrame(wire.Final(3, tc.err).Header(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !f.Last() || f.N != 3 {
				t.Fatalf("got %+v, want a last frame with number 3", f)
			}
			got := f.Err()
			if tc.want == nil {
				if got != nil {
					t.Fatalf("got %v, want no error", got)
				}
				return
			}
			e, ok := errors.AsType[*wire.Error](got)
			if !ok {
				t.Fatalf("got %T, want *wire.Error", got)
			}
			if !utf8.ValidString(e.Message) || len(e.Message) < len(tc.want.Message)-2 {
				t.Fatalf("message of %d bytes, want about %d", len(e.Message), len(tc.want.Message))
			}
			if len(tc.want.Message) < 1000 {
				if diff := cmp.Diff(tc.want, e); diff != "" {
					t.Fatal(diff)
				}
			}
		})
	}
}

func FuzzParseFrame(f *testing.F) {
	for _, s := range []wire.Frame{
		{N: 1, Payload: []byte(`{"id":"x"}`)},
		{N: 2, Code: wire.OK},
		wire.Final(7, wire.Errorf(wire.Denied, "effect e may only read\n").WithHint("\ttabs \"quotes\"")),
	} {
		h := s.Header()
		f.Add(get(h, wire.HeaderFrame), get(h, wire.HeaderCode), get(h, wire.HeaderMessage), get(h, wire.HeaderHint), s.Payload)
	}
	f.Fuzz(func(t *testing.T, n, code, message, hint string, payload []byte) {
		got, err := wire.ParseFrame(map[string][]string{
			wire.HeaderFrame: {n}, wire.HeaderCode: {code}, wire.HeaderMessage: {message}, wire.HeaderHint: {hint},
		}, payload)
		if err != nil {
			if !errors.Is(err, wire.ErrFrame) {
				t.Fatalf("%v is not ErrFrame", err)
			}
			return
		}
		if len(got.Message) > wire.MaxText || len(got.Hint) > wire.MaxText {
			return
		}
		again, err := wire.ParseFrame(got.Header(), payload)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func get(h map[string][]string, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func TestVerbsAreWhatWasReleased(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	seen := map[string]bool{}
	for _, v := range wire.Verbs() {
		if seen[v.Name] {
			t.Errorf("verb %s is listed twice", v.Name)
		}
		seen[v.Name] = true
		if !slices.Contains([]wire.Class{wire.Read, wire.Operate, wire.Decide}, v.Class) {
			t.Errorf("verb %s has class %q", v.Name, v.Class)
		}
		b.WriteString(v.Name + " " + string(v.Class))
		if v.Stream {
			b.WriteString(" stream")
		}
		b.WriteString("\n")
	}
	declared, err := os.ReadFile("verb.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(regexp.MustCompile(`(?m)^\t\w+ += (verb|stream)\[`).FindAll(declared, -1)); n+1 != len(seen) { // and Credit
		t.Errorf("%d verbs are declared, %d are listed", n, len(seen)-1)
	}
	want, err := os.ReadFile("testdata/verbs.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("verbs changed; a released verb keeps its name and class:\n%s", diff)
	}
}

func TestSubjectsBelongToOneClient(t *testing.T) {
	t.Parallel()
	c := wire.ClientName([26]byte{0, 1, 2, 31, 32, 255})
	if !wire.ValidClient(c) {
		t.Fatalf("%q is not valid", c)
	}
	if got, ok := wire.CommandClient(wire.CommandSubject(c, wire.RunGet.Spec)); !ok || got != c {
		t.Errorf("client of a command is %q, %v", got, ok)
	}
	for _, s := range []string{"", "ap.cmd.", "ap.cmd." + c, "ap.event.run.x", "ap.cmd.*.run.get", "ap.cmd." + c[1:] + ".run.get", "ap.cmd." + strings.ToUpper(c) + ".x"} {
		if _, ok := wire.CommandClient(s); ok {
			t.Errorf("%q is taken for a command", s)
		}
	}
	for reply, want := range map[string]bool{
		"_INBOX." + c + ".1":       true,
		"_INBOX." + c + ".a.b":     true,
		"_INBOX." + c:              false,
		"_INBOX." + c + ".":        false,
		"_INBOX." + c + ".*":       false,
		"_INBOX." + c + ".>":       false,
		"_INBOX." + c + "x.1":      false,
		"_INBOX." + c + ".a..b":    false,
		"ap.event.run.x":           false,
		"$JS.API.STREAM.DELETE.AP": false,
		"":                         false,
	} {
		if got := wire.OwnReply(c, reply); got != want {
			t.Errorf("OwnReply(%q) = %v, want %v", reply, got, want)
		}
	}
}
