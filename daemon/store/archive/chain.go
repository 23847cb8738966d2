package archive

import (
	"fmt"

	"autopilot/events"
	"autopilot/events/log"
)

// chain follows the events of a run.
type chain struct {
	id     string
	n      uint64 // events so far
	head   string // hash of the last one
	broken uint64 // place of the first that does not follow the one before
	what   string // is wrong there
}

// stored is what bytes are as an event of the run, with ErrDamaged if they are none.
func (c *chain) stored(b []byte) (log.Stored, error) {
	agg := events.Run(c.id)
	st := log.Stored{Subject: agg.Subject(), Bytes: b, Hash: events.Hash(b)}
	e, err := events.Decode(b)
	switch {
	case err != nil:
		return st, fmt.Errorf("%w: %w", log.ErrDamaged, err)
	case e.Aggregate != agg:
		return st, fmt.Errorf("%w: it is an event of %s", log.ErrDamaged, e.Aggregate)
	}
	st.Event = e
	return st, nil
}

// add goes on with the next event.
func (c *chain) add(st log.Stored, damage error) {
	c.n++
	switch {
	case c.broken > 0:
	case damage != nil:
		c.broke(damage.Error())
	case st.Event.Seq != c.n:
		c.broke(fmt.Sprintf("it is event %d, where %d was due", st.Event.Seq, c.n))
	case st.Event.PrevHash != c.head:
		c.broke("it carries another hash than event " + fmt.Sprint(c.n-1) + " has: one of the two was changed")
	}
	c.head = st.Hash
}

func (c *chain) broke(what string) { c.broken, c.what = c.n, what }

// is says what differs from what a manifest says of the run.
func (c *chain) is(r Run) error {
	bad := func(event uint64, format string, a ...any) error {
		return &DamagedError{Run: r.ID, Event: event, What: fmt.Sprintf(format, a...)}
	}
	switch {
	case c.broken != r.Broken && c.broken > 0:
		return bad(c.broken, "%s", c.what)
	case c.broken != r.Broken:
		return bad(r.Broken, "it follows the one before, and the manifest says that it does not")
	case c.n != r.Events:
		return bad(0, "it has %d events, the manifest says %d", c.n, r.Events)
	case c.head != r.Head:
		return bad(c.n, "it has another hash than the manifest says")
	}
	return nil
}
