//go:build linux

package crashtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"autopilot/events/wire"
)

// What a host asks for, and what comes of it.
type (
	claimAsk struct {
		key  string
		host int
		drop bool
	}
	claimEnd struct {
		done, refused bool // neither: nobody knows
		fence         uint64
	}
	// claimIs is a claim as the model has it. A fence that nobody was told is 0.
	claimIs struct {
		holder int // host, from 1; 0 is nobody
		fence  uint64
		last   uint64 // greatest that anybody was told
	}
)

// claimModel is a claim as everybody expects it: one holder at a time, and each has a
// greater fence than all before. Of what nobody knows it did happen, or it did not.
var claimModel = porcupine.NondeterministicModel{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		by := map[string][]porcupine.Operation{}
		for _, o := range all {
			key := o.Input.(claimAsk).key
			by[key] = append(by[key], o)
		}
		var out [][]porcupine.Operation
		for _, list := range by {
			out = append(out, list)
		}
		return out
	},
	Init: func() []any { return []any{claimIs{}} },
	Step: func(state, input, output any) []any {
		return claimStep(state.(claimIs), input.(claimAsk), output.(claimEnd))
	},
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%+v -> %+v", input, output)
	},
}

func claimStep(s claimIs, ask claimAsk, end claimEnd) []any {
	me := ask.host + 1
	changed := claimIs{me, end.fence, max(s.last, end.fence)}
	if ask.drop {
		changed = claimIs{last: s.last}
	}
	possible := s.holder == me || !ask.drop && s.holder == 0
	renews := s.holder == me && !ask.drop
	switch {
	case end.refused && (ask.drop && s.holder != me || !ask.drop && s.holder != 0 && s.holder != me):
		return []any{s}
	case end.refused:
		return nil
	case !end.done && possible && !renews:
		return []any{s, changed}
	case !end.done:
		return []any{s}
	case !possible:
		return nil
	case renews && s.fence == end.fence && s.fence != 0:
		return []any{s}
	case !ask.drop && s.fence != 0 && renews, !ask.drop && end.fence <= s.last:
		return nil // another fence without another holder, or one that was had before
	}
	return []any{changed}
}

// racers take and give back claims on every host, all the time, and remember what came
// of each.
type racers struct {
	hosts []member
	began time.Time
	stop  chan struct{}
	wg    sync.WaitGroup

	mu  sync.Mutex
	all []porcupine.Operation
}

func race(hosts []member) *racers {
	r := &racers{hosts: hosts, began: time.Now(), stop: make(chan struct{})}
	for i := range hosts {
		r.wg.Go(func() { r.run(i) })
	}
	return r
}

func (r *racers) run(host int) {
	held := map[string]bool{}
	for {
		select {
		case <-r.stop:
			return
		case <-time.After(time.Duration(rand.IntN(60)) * time.Millisecond):
		}
		// Few keys at a time, so that all want the same; and others soon, so that no
		// history is long.
		ask := claimAsk{key: fmt.Sprintf("issue:%d", 2*int(time.Since(r.began)/(3*time.Second))+rand.IntN(2)), host: host}
		ask.drop = held[ask.key] && rand.IntN(3) > 0
		end := r.ask(ask)
		held[ask.key] = end.done && !ask.drop
	}
}

// ask asks one daemon, and remembers the answer.
func (r *racers) ask(ask claimAsk) claimEnd {
	verb := "take"
	if ask.drop {
		verb = "drop"
	}
	m := r.hosts[ask.host]
	call := time.Since(r.began)
	a := m.here("peer", verb, ask.key, "--json")
	o := porcupine.Operation{ClientId: ask.host, Input: ask, Call: int64(call), Return: int64(time.Since(r.began))}
	end := claimEnd{done: a.code == 0}
	text := string(a.stdout) + a.stderr
	end.refused = a.code == exitConflict && strings.Contains(text, "is held by") || a.code == exitMissing
	if end.done && !ask.drop {
		end.fence = data[wire.ClaimsView](m.t, a).Claims[0].Fence
	}
	o.Output = end
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, o)
	return end
}

// exitMissing: nothing is there of what was asked for.
const exitMissing = 4

// judge ends the race and holds its history against the model.
func (r *racers) judge(t *testing.T) {
	close(r.stop)
	r.wg.Wait()
	over := int64(time.Since(r.began))
	counts := map[string]int{}
	for i, o := range r.all {
		switch end := o.Output.(claimEnd); {
		case end.done:
			counts["done"]++
		case end.refused:
			counts["refused"]++
		default:
			counts["unknown"]++
			r.all[i].Return = over // it may still happen at any time
		}
	}
	t.Logf("%d operations on claims: %d done, %d refused as another holds it, %d of which nobody knows", len(r.all), counts["done"], counts["refused"], counts["unknown"])
	if counts["done"] == 0 || counts["refused"] == 0 {
		t.Error("the history shows nothing: there is no race")
	}
	switch result := porcupine.CheckOperationsTimeout(claimModel.ToModel(), r.all, 2*time.Minute); result {
	case porcupine.Ok:
	case porcupine.Illegal:
		t.Errorf("the history is not linearizable:\n%s", r.wrong())
	case porcupine.Unknown:
		t.Error("the history could not be judged in time")
	}
}

// wrong is the history of the first claim that has no order.
func (r *racers) wrong() string {
	for _, list := range claimModel.Partition(r.all) {
		if porcupine.CheckOperations(claimModel.ToModel(), list) {
			continue
		}
		var b strings.Builder
		for _, o := range list {
			fmt.Fprintf(&b, "%8.3f to %8.3f s: %s\n", float64(o.Call)/1e9, float64(o.Return)/1e9, claimModel.DescribeOperation(o.Input, o.Output))
		}
		return b.String()
	}
	return ""
}

// The model refuses what must not be.
func TestTheModelOfAClaimRefusesTwoHolders(t *testing.T) {
	t.Parallel()
	op := func(host int, drop bool, end claimEnd, call, back int64) porcupine.Operation {
		return porcupine.Operation{ClientId: host, Input: claimAsk{"k", host, drop}, Output: end, Call: call, Return: back}
	}
	took := func(fence uint64) claimEnd { return claimEnd{done: true, fence: fence} }
	for name, tt := range map[string]struct {
		all  []porcupine.Operation
		want bool
	}{
		"one after the other":            {[]porcupine.Operation{op(0, false, took(1), 0, 1), op(0, true, claimEnd{done: true}, 2, 3), op(1, false, took(3), 4, 5)}, true},
		"two at once":                    {[]porcupine.Operation{op(0, false, took(1), 0, 1), op(1, false, took(3), 2, 3)}, false},
		"a fence twice":                  {[]porcupine.Operation{op(0, false, took(1), 0, 1), op(0, true, claimEnd{done: true}, 2, 3), op(1, false, took(1), 4, 5)}, false},
		"a refusal of what is free":      {[]porcupine.Operation{op(0, false, claimEnd{refused: true}, 0, 1)}, false},
		"a release that nobody knows":    {[]porcupine.Operation{op(0, false, took(1), 0, 1), op(0, true, claimEnd{}, 2, 99), op(1, false, took(3), 4, 5)}, true},
		"a take that nobody knows":       {[]porcupine.Operation{op(0, false, claimEnd{}, 0, 99), op(1, false, claimEnd{refused: true}, 2, 3)}, true},
		"a renewal with another fence":   {[]porcupine.Operation{op(0, false, took(1), 0, 1), op(0, false, took(2), 2, 3)}, false},
		"given back by who has it not":   {[]porcupine.Operation{op(0, false, took(1), 0, 1), op(1, true, claimEnd{done: true}, 2, 3)}, false},
		"a refusal to who has the claim": {[]porcupine.Operation{op(0, false, took(1), 0, 1), op(0, false, claimEnd{refused: true}, 2, 3)}, false},
	} {
		if got := porcupine.CheckOperations(claimModel.ToModel(), tt.all); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
