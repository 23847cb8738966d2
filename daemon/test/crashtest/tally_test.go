//go:build linux

package crashtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/failpoint"
)

// tally counts over all rounds what was hit.
type tally struct {
	mu   sync.Mutex
	hits map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hits[what]++
}

// roundsForAll is from how many rounds on every kind of kill must have hit.
const roundsForAll = 50

const atPoint = "daemon at "

// wanted is every kind of kill that rounds come to.
func wanted() []string {
	want := []string{string(killDaemon), string(killShim)}
	for _, point := range failpoint.Points() {
		if !slices.Contains(apart, point) {
			want = append(want, atPoint+point)
		}
	}
	return want
}

// missed are those of a list that have hit nothing.
func (c *tally) missed(want []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(want), func(what string) bool { return c.hits[what] > 0 })
}

// tries is how many rounds there are for one kind of kill that all others have
// missed: on a machine that is busy a run can be over before its kill. One that is
// never come to fails all the same.
const tries = 6

// reach plays further rounds, each for one kind of kill that has hit nothing.
func (c *tally) reach(want []string, play func(what string, try int)) {
	for try := range tries {
		for _, what := range c.missed(want) {
			play(what, try)
		}
	}
}

func (c *tally) report(t *testing.T) {
	for _, what := range slices.Sorted(maps.Keys(c.hits)) {
		t.Logf("%4d killed: %s", c.hits[what], what)
	}
	if *rounds >= roundsForAll {
		for _, what := range c.missed(wanted()) {
			t.Errorf("never killed: %s, in %d rounds and %d for it alone", what, *rounds, tries)
		}
	}
	if len(c.hits) == 0 {
		t.Error("no kill has hit anything")
	}
}

// schemeFor is a round for one kind of kill alone, as early as it can be, and the
// plan that it is played with: another one at each try.
func schemeFor(what string, try int, all []plan) (plan, scheme) {
	name, named := strings.CutPrefix(what, atPoint)
	of := slices.DeleteFunc(slices.Clone(all), func(p plan) bool { return named && !slices.Contains(p.points(), name) })
	p := of[try%len(of)]
	var s scheme
	if named {
		s.point = name + ":1"
	}
	after := time.Duration(20+40*try) * time.Millisecond
	if p.lose || name == failpoint.AfterRestore {
		s.kills = append(s.kills, kill{after: after, what: killAgent})
	}
	if !named {
		s.kills = append(s.kills, kill{after: after, what: victim(what), then: []string{"daemon", "start"}})
	}
	return p, s
}

// A busy machine fails nothing, and what is never come to does.
func TestWhatAllRoundsHaveMissedIsTriedAFewTimesMore(t *testing.T) {
	t.Parallel()
	c := &tally{hits: map[string]int{"a": 1}}
	var played []string
	c.reach([]string{"a", "late", "never"}, func(what string, try int) {
		played = append(played, fmt.Sprint(what, try))
		if what == "late" && try == 2 {
			c.add(what)
		}
	})
	want := []string{"late0", "never0", "late1", "never1", "late2", "never2", "never3", "never4", "never5"}
	if d := cmp.Diff(want, played); d != "" {
		t.Errorf("played (-want +got):\n%s", d)
	}
	if left := c.missed([]string{"a", "late", "never"}); !slices.Equal(left, []string{"never"}) {
		t.Errorf("missed: %q", left)
	}
}

// There is a round for each kind of kill, and with another plan where several come
// to it.
func TestEveryKindOfKillHasARoundOfItsOwn(t *testing.T) {
	t.Parallel()
	all := plans()
	for _, what := range wanted() {
		name, named := strings.CutPrefix(what, atPoint)
		for try := range tries {
			p, s := schemeFor(what, try, all)
			if named && (s.point != name+":1" || !slices.Contains(p.points(), name)) {
				t.Errorf("%s: %s, %v", what, p.name, s)
			}
			if !named && !slices.ContainsFunc(s.kills, func(k kill) bool { return string(k.what) == what }) {
				t.Errorf("%s: %v", what, s)
			}
		}
	}
}
