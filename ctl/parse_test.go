package ctl

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/wire"
)

func TestGates(t *testing.T) {
	t.Parallel()
	goal, inv := events.RoleGoal, events.RoleInvariant
	for _, c := range []struct {
		name              string
		goals, invariants []string
		want              []wire.GateSpec
		err               string
	}{
		{name: "named", goals: []string{"test=go test ./..."}, want: []wire.GateSpec{{Name: "test", Role: goal, Command: "go test ./..."}}},
		{name: "the command may hold =", goals: []string{"t=x=1 make"}, want: []wire.GateSpec{{Name: "t", Role: goal, Command: "x=1 make"}}},
		{name: "no name", goals: []string{"go test -run=X ./..."}, want: []wire.GateSpec{{Name: "go", Role: goal, Command: "go test -run=X ./..."}}},
		{name: "an assignment is not a valid name", goals: []string{"CGO_ENABLED=0 go test"}, want: []wire.GateSpec{{Name: "go", Role: goal, Command: "CGO_ENABLED=0 go test"}}},
		{name: "a script", goals: []string{"./ci/Check_All.sh -x"}, want: []wire.GateSpec{{Name: "check_all", Role: goal, Command: "./ci/Check_All.sh -x"}}},
		{
			name: "derived names get numbers, given ones first", goals: []string{"make a", "make b"}, invariants: []string{"make=make c"},
			want: []wire.GateSpec{
				{Name: "make-2", Role: goal, Command: "make a"},
				{Name: "make-3", Role: goal, Command: "make b"},
				{Name: "make", Role: inv, Command: "make c"},
			},
		},
		{name: "only signs", goals: []string{"[ -f ok ]"}, want: []wire.GateSpec{{Name: "gate", Role: goal, Command: "[ -f ok ]"}}},
		{name: "none"},
		{name: "no goal", invariants: []string{"a=b"}, want: []wire.GateSpec{{Name: "a", Role: inv, Command: "b"}}},
		{name: "empty", goals: []string{""}, err: "has no command"},
		{name: "blank command", goals: []string{"test= "}, err: "has no command"},
		{name: "no name before =", goals: []string{"=x"}, err: "has no command"},
		{name: "bad name", goals: []string{"Test=go test"}, err: `"Test" cannot be used`},
		{name: "name with a dot", goals: []string{"a.b=c"}, err: `"a.b" cannot be used`},
		{name: "long name", goals: []string{strings.Repeat("a", 65) + "=c"}, err: "cannot be used"},
		{name: "twice", goals: []string{"a=b", "a=c"}, err: `two gates have the name "a"`},
		{name: "NUL", goals: []string{"a=b\x00"}, err: "NUL"},
		{name: "UTF-8", goals: []string{"a=\xff"}, err: "not valid UTF-8 at byte 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseGates(c.goals, c.invariants)
			if wantErr(t, err, c.err) {
				return
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// wantErr checks an error, and says whether one was wanted.
func wantErr(t *testing.T, err error, want string) bool {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Fatal(err)
		}
		return false
	}
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.Usage || !strings.Contains(e.Message, want) {
		t.Fatalf("error %v, want a usage error with %q", err, want)
	}
	if e.Hint == "" {
		t.Errorf("%q says nothing about what to do next", e.Message)
	}
	return true
}

func TestABadTimeSaysWhatToWrite(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 28, 22, 30, 0, 0, time.UTC)
	for value, want := range map[string]string{
		"late": "not a time", "2026-03-28T07:00": "in the past", "23:00": "",
	} {
		_, err := parseUntil(value, now, time.UTC)
		wantErr(t, err, want)
	}
	_, err := parsePast("late", now, time.UTC)
	wantErr(t, err, "late")
	_, err = parseDuration("--for", "soon")
	wantErr(t, err, `--for "soon" is not a length of time`)
}

func TestTheEnvironmentOfARun(t *testing.T) {
	t.Parallel()
	environ := []string{
		"PATH=/bin", "HOME=/h", "LC_ALL=C", "XDG_RUNTIME_DIR=/r", "GOFLAGS=-mod=mod", "NPM_TOKEN=s", "npm_config_x=1",
		"ANTHROPIC_AUTH_TOKEN=k", "GROQ_API_KEY=k", "GH_TOKEN=s", "SSH_AUTH_SOCK=/s", "AUTOPILOT_STATE=/x", "SECRET=s", "MINE=1", "odd", "GIT_DIR=/other/.git", "GIT_WORK_TREE=/other",
	}
	got, err := runEnv(environ, []string{"MINE", "GH_TOKEN=other"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ANTHROPIC_AUTH_TOKEN=k", "GH_TOKEN=other", "GOFLAGS=-mod=mod", "GROQ_API_KEY=k", "HOME=/h", "LC_ALL=C", "MINE=1",
		"PATH=/bin", "XDG_RUNTIME_DIR=/r", "npm_config_x=1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"", "=x", "AUTOPILOT_EFFECT=1", "NOT_SET", "GIT_DIR=/other/.git"} { // the last: S54
		_, err := runEnv(environ, []string{bad})
		wantErr(t, err, "--env")
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		rest int
		span string
		err  string
	}{
		{args: nil},
		{args: []string{"k3xq"}, rest: 1},
		{args: []string{"2026"}, rest: 1},
		{args: []string{"2"}, span: "2"},
		{args: []string{"1..3"}, span: "1..3"},
		{args: []string{"k3xq", "1..3"}, rest: 1, span: "1..3"},
		{args: []string{"k3xq", "1000"}, rest: 1, span: "1000"},
		{args: []string{"1.."}, err: "not a range"},
		{args: []string{"a..b"}, err: "not a range"},
		{args: []string{"k3xq", "-1"}, err: "not a range"},
		{args: []string{"k3xq", "+1"}, err: "not a range"},
	} {
		rest, span, err := splitRange(slices.Clone(c.args))
		if wantErr(t, err, c.err) {
			continue
		}
		if len(rest) != c.rest || span != c.span {
			t.Errorf("%v: %v %q", c.args, rest, span)
		}
	}
}

func TestLastLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"a\nb\nc\n", 2, "b\nc\n"}, {"a\nb\nc", 2, "b\nc"}, {"a\nb\n", 5, "a\nb\n"}, {"a\nb\n", 0, ""}, {"", 3, ""}, {"a", 0, ""},
	} {
		if got := string(lastLines([]byte(c.in), c.n)); got != c.want {
			t.Errorf("last %d of %q: %q, want %q", c.n, c.in, got, c.want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	want := map[wire.Code]int{
		wire.OK: 0, wire.Failed: 1, wire.Usage: 2, wire.NotFound: 4, wire.CursorExpired: 4, wire.Conflict: 5,
		wire.Unreachable: 6, wire.TimedOut: 7, wire.Denied: 8, wire.NeedsPerson: 13, wire.Full: 1, wire.Newer: 1, "of a later version": 1,
	}
	for c, n := range want {
		if got := exitOf(c); got != n {
			t.Errorf("%s: %d, want %d", c, got, n)
		}
	}
	var codes []int
	for _, l := range exits() {
		codes = append(codes, l.code)
	}
	if d := cmp.Diff([]int{0, 1, 2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 130}, codes); d != "" {
		t.Error(d)
	}
}
