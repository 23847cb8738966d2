package snapshot_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// What the fold of run.FoldVersion is: the shape of its state and what it makes
// of an ordinary history. A state that was kept by another fold must not be
// believed, so whoever changes one of these raises run.FoldVersion with it.
const (
	foldVersion = 14
	foldShape   = "2da3ffc811d0f415"
	foldResult  = "f844ff366594d3be"
)

func TestTheFoldVersionIsRaisedWithWhatItFolds(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	shape(reflect.TypeFor[run.State](), seen)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		lines = append(lines, name+" "+seen[name])
	}
	gotShape, gotResult := sum(strings.Join(lines, "\n")), sum(ordinary(t))
	if run.FoldVersion == foldVersion && gotShape == foldShape && gotResult == foldResult {
		return
	}
	t.Errorf(`the fold has changed, or its version: raise run.FoldVersion (projections/run/state.go), and write here
	foldVersion = %d, of a released version one more
	foldShape   = %q
	foldResult  = %q`, run.FoldVersion, gotShape, gotResult)
}

func sum(text string) string {
	b := sha256.Sum256([]byte(text))
	return hex.EncodeToString(b[:8])
}

// shape describes a type and all that it is made of.
func shape(t reflect.Type, seen map[string]string) string {
	name := t.String()
	if _, ok := seen[name]; ok || t == reflect.TypeFor[time.Time]() {
		return name
	}
	switch t.Kind() {
	case reflect.Struct:
		seen[name] = "" // it may contain itself
		var b strings.Builder
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintf(&b, "%s %s %q; ", f.Name, shape(f.Type, seen), f.Tag)
		}
		seen[name] = b.String()
	case reflect.Pointer, reflect.Slice, reflect.Array:
		shape(t.Elem(), seen)
	case reflect.Map:
		shape(t.Key(), seen)
		shape(t.Elem(), seen)
	default:
		seen[name] = t.Kind().String()
	}
	return name
}

// ordinary folds a history that has one of each event, and gives back what is
// kept of it.
func ordinary(t *testing.T) string {
	l := log.NewMemory(log.MemoryConfig{})
	before := log.Stored{}
	results := []events.GateResult{{Gate: "test", Role: events.RoleGoal, Verdict: events.Fail, Exit: 1}}
	for i, d := range []events.Data{
		events.RunStarted{Handle: "01a", Phase: "work", Tree: "t0", Work: "t0", Limits: events.Limits{Iterations: 3}},
		events.GatesStarted{Phase: "work"},
		events.GatesJudged{Phase: "work", Results: results, Tree: "t0"},
		events.IterationStarted{Phase: "work", Iteration: 1, Attempt: 1},
		events.AgentEnded{Phase: "work", Iteration: 1, Attempt: 1, Outcome: events.Lost, Tree: "t1"},
		events.IterationStarted{Phase: "work", Iteration: 1, Attempt: 2},
		events.RunSuspended{MS: 700},
		events.AgentEnded{Phase: "work", Iteration: 1, Attempt: 2, Outcome: events.Exited, Tree: "t2"},
		events.GatesStarted{Phase: "work", Iteration: 1},
		events.GatesJudged{Phase: "work", Iteration: 1, Results: results, Tree: "t2"},
		events.IterationRecorded{Phase: "work", Iteration: 1, Attempt: 2, Verdict: events.Fail, Fingerprint: "f", Signature: "s", Tree: "t2"},
		events.StopRequested{Mode: events.StopAfterIteration},
		events.RunHalted{Reason: events.HaltStopped, Phase: "work", Iteration: 1, Tree: "t2"},
		events.RunResumed{Note: "n"},
		events.IterationStarted{Phase: "work", Iteration: 2, Attempt: 1},
		events.AgentEnded{Phase: "work", Iteration: 2, Attempt: 1, Outcome: events.Exited, Tree: "t2"},
		events.IterationRecorded{Phase: "work", Iteration: 2, Attempt: 1, Verdict: events.Skipped, Tree: "t2"},
		events.Unknown{Type: "x.v1", Raw: []byte("{}")},
		events.RunEnded{State: events.EndCancelled, Iteration: 2, Tree: "t2"},
	} {
		st, err := l.Append(context.Background(), events.Event{
			ID: fmt.Sprint(i), Source: "autopilot/t", Aggregate: events.Run("01A"), Actor: "daemon:t", Data: d,
			Time: begin.Add(time.Duration(i) * time.Minute), Seq: uint64(i + 1), PrevHash: before.Hash,
		}, log.Ordinary)
		if err != nil {
			t.Fatal(err)
		}
		before = st
	}
	f := snapshot.NewFold(nil)
	if err := catchUp(f, l); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "snapshot")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
