package ctl

import (
	"strings"
	"testing"
)

func TestO42TheValueOfAnOptionIsNoPartOfTheRoutedText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"route", "--json", "--label", "type:bug", "parse.go is slow"}, `"route":"bugfix","route_by":"label","size":"small","words":3`},
		{[]string{"route", "--json", "--label=$autopilot", "parse.go is slow"}, `"words":3,"because"`}, // no skill: a label is no token
		{[]string{"route", "parse.go", "is", "--json", "slow"}, `"words":3`},
		{[]string{"route", "--json", "--", "--label", "in", "a.go"}, `"words":3`},
		{[]string{"route", "--json", "$ralph", "a.go"}, `"skills":[{"name":"ralph","explicit":true}]`},
	} {
		w := newWorld(t, nil, c.args...)
		code(t, w, 0)
		contains(t, strings.Join(c.args, " "), w.out.String(), c.want)
	}
}

func TestARouteNeedsAText(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"route"}, {"route", " \n"}, {"route", "-f", "none.txt"}, {"route", "-f", "-", "x"}, {"route", "a\x00b"}, {"route", "\xff"}, {"route", strings.Repeat("x", maxWorkflow+1)}} {
		w := newWorld(t, nil, args...)
		code(t, w, 2)
		if w.out.Len() > 0 {
			t.Errorf("%q: %s", args, w.out.String())
		}
	}
}
