package prove

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"autopilot/daemon/store/blob"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
)

// textID is the name of a text in few bytes: there may be millions.
type textID [32]byte

// namedBy is the first event that names a text.
type namedBy struct {
	aggregate int // index of its name
	seq       uint64
	position  uint64
}

// texts collects the texts that events name, and then reads each once.
type texts struct {
	check func(events.Ref) error // says why a text is not what it is named
	named map[textID]namedBy
	also  map[textID][]namedBy // the first events of other aggregates that name it
	odd   []oddName            // that are no hash

	aggregates []string
	index      map[string]int
	sound      int
	bad        map[textID]bool
	gone       int // that were erased or pruned, and nobody has
}

func newTexts(check func(events.Ref) error) texts {
	return texts{check: check, named: map[textID]namedBy{}}
}

// oddName is a name that no text can have.
type oddName struct {
	ref events.Ref
	namedBy
}

func (t *texts) add(st log.Stored, refs []events.Ref) {
	for _, ref := range refs {
		var key textID
		if n, err := hex.Decode(key[:], []byte(ref)[:min(len(ref), 2*len(key))]); err != nil || n != len(key) || len(ref) != 2*len(key) {
			t.odd = append(t.odd, oddName{ref, t.namedBy(st)})
			continue
		}
		t.addName(key, t.namedBy(st))
	}
}

// addName keeps who is the first of an aggregate to name a text; where aggregates
// take turns, some more than once.
func (t *texts) addName(key textID, n namedBy) {
	first, known := t.named[key]
	also := t.also[key]
	switch {
	case !known:
		t.named[key] = n
	case n.aggregate == first.aggregate || len(also) > 0 && also[len(also)-1].aggregate == n.aggregate:
	default:
		if t.also == nil {
			t.also = map[textID][]namedBy{}
		}
		t.also[key] = append(also, n)
	}
}

// missedBy is the first event that names a text and whose aggregate should have
// it.
func (t *texts) missedBy(key textID, gone func(aggregate string) bool) (namedBy, bool) {
	for _, n := range append([]namedBy{t.named[key]}, t.also[key]...) {
		if !gone(t.aggregates[n.aggregate]) {
			return n, true
		}
	}
	return namedBy{}, false
}

func (t *texts) namedBy(st log.Stored) namedBy {
	name := st.Event.Aggregate.String()
	i, known := t.index[name]
	if !known {
		if t.index == nil {
			t.index = map[string]int{}
		}
		i = len(t.aggregates)
		t.aggregates, t.index[name] = append(t.aggregates, name), i
	}
	return namedBy{i, st.Event.Seq, st.Position}
}

// problems reads all texts, several at once, and says what is wrong: for each
// event that was the first to name such a text, one problem. gone says of an
// aggregate that its texts were removed.
func (t *texts) problems(gone func(aggregate string) bool) []wire.Problem {
	keys := slices.SortedFunc(maps.Keys(t.named), func(a, b textID) int { return bytes.Compare(a[:], b[:]) })
	errs := make([]error, len(keys))
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(keys); i += workers {
				errs[i] = t.check(events.Ref(hex.EncodeToString(keys[i][:])))
			}
		})
	}
	wg.Wait()
	bad := map[namedBy]*badTexts{}
	t.bad = map[textID]bool{}
	for i, key := range keys {
		n, missed := t.named[key], true
		if errors.Is(errs[i], blob.ErrMissing) {
			n, missed = t.missedBy(key, gone)
		}
		if errs[i] != nil {
			t.bad[key] = true
		}
		switch {
		case errs[i] == nil:
			t.sound++
		case missed:
			note(bad, n, errs[i])
		default:
			t.gone++
		}
	}
	for _, o := range t.odd {
		if err := t.check(o.ref); err != nil {
			note(bad, o.namedBy, err)
		}
	}
	return t.say(bad)
}

// badTexts are those of one event.
type badTexts struct{ missing, damaged int }

func note(bad map[namedBy]*badTexts, n namedBy, err error) {
	b := bad[n]
	if b == nil {
		b = &badTexts{}
		bad[n] = b
	}
	if errors.Is(err, blob.ErrDamaged) {
		b.damaged++
		return
	}
	b.missing++
}

func (t *texts) say(bad map[namedBy]*badTexts) []wire.Problem {
	var out []wire.Problem
	for _, n := range slices.SortedFunc(maps.Keys(bad), func(a, b namedBy) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.seq, b.seq))
	}) {
		b, p := bad[n], wire.Problem{Aggregate: t.aggregates[n.aggregate], Seq: n.seq, Position: n.position}
		if b.missing > 0 {
			p.What = fmt.Sprintf("texts that it names are missing: %d", b.missing)
			out = append(out, p)
		}
		if b.damaged > 0 {
			p.What = fmt.Sprintf("texts that it names were changed: %d", b.damaged)
			out = append(out, p)
		}
	}
	return out
}
