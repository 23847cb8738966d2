package atdd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/atdd"
)

// Calls has the watch look at what atdd-kit's own functions have answered, as Keep
// has kept it in file.
func (w *Watch) Calls(file string) { w.calls.file = file }

// called is what was read of the calls.
type called struct {
	file    string
	read    int64
	count   int // calls so far
	already int // of these, known from an earlier day
}

// lookAtCalls says which calls would have been answered otherwise here.
func (w *Watch) lookAtCalls(say func(wire.AtddRow) error) error {
	if w.calls.file == "" {
		return nil
	}
	calls, to, err := readCalls(w.calls.file, w.calls.read)
	if err != nil {
		return err
	}
	w.calls.read = to
	for _, v := range calls {
		w.calls.count++
		r := wire.AtddRow{File: filepath.Base(v.File), Line: w.calls.count, Kind: "call", Function: v.Function, At: v.At, Problems: otherwise(v)}
		w.judge.Count(r)
		if w.calls.count <= w.calls.already {
			continue
		}
		if err := say(r); err != nil {
			return err
		}
	}
	return nil
}

// otherwise is how an answer differs: any but 0 halts the loop. What a call has
// written to a file that is read here is said of that.
func otherwise(v wire.AtddCall) []wire.AtddProblem {
	if strings.HasPrefix(v.Function, "record_") && slices.Contains([]string{atdd.LogFile, atdd.RedFile}, filepath.Base(v.File)) {
		return nil
	}
	p := wire.AtddProblem{Code: strings.ReplaceAll(v.Function, "_", "-"), Detail: v.Why}
	switch {
	case (v.Said == 0) == (v.Here == 0):
		return nil
	case v.Here == 0:
		p.Class, p.Detail = wire.AtddAllowed, fmt.Sprintf("atdd-kit's own halts here (exit code %d)", v.Said)
	case v.Here == exitInvalid:
		p.Class = wire.AtddRefused
	default:
		p.Class = wire.AtddHalt
	}
	return []wire.AtddProblem{p}
}
