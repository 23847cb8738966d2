package log

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"autopilot/events"
)

// Sharing makes a log one that several hosts write to. Its stream has a name and
// subjects of its own, and each event is stored under a subject that ends with the
// host that wrote it: permissions of the servers can bind credentials to a host.
//
// Such a log is compacted by its servers: of each aggregate the latest events of each
// host are kept. Whatever is decided by it has to follow from those, see Stored.Cut.
type Sharing struct {
	Host string // that writes from here
	Keep int    // events of an aggregate and host, in a stream that is created; 0 is DefaultKeep
}

// DefaultKeep is how many events of an aggregate and host a shared log keeps. With
// 16 a claim of the longest kind needs 10 KiB, and one that was had once needs 1 KiB.
const DefaultKeep = 16

// Names of a shared log at its servers.
const (
	sharedStream   = "AP_TEAM_"
	sharedSubjects = "ap.team."
)

// names says how a log is named at its server. Elsewhere in this package subjects are
// those of aggregates; only the connection knows those of a shared log.
type names struct {
	stream string // prefix of the streams
	stem   string // prefix of the subjects
	host   string // that is the last token of what is written; empty in a log of one host
}

func namesOf(s *Sharing) names {
	if s == nil {
		return names{stream: streamPrefix, stem: events.SubjectPrefix}
	}
	return names{stream: sharedStream, stem: sharedSubjects, host: s.Host}
}

func (n names) shared() bool { return n.host != "" }

// all are the subjects of the stream.
func (n names) all() string { return n.stem + ">" }

// write is where an event of an aggregate is stored from here.
func (n names) write(subject string) string {
	if !n.shared() {
		return subject
	}
	return n.stem + strings.TrimPrefix(subject, events.SubjectPrefix) + "." + n.host
}

// read is where events of a subject are, whoever has stored them. A wildcard stays one.
func (n names) read(subject string) string {
	if !n.shared() || subject == "" {
		return subject
	}
	subject = n.stem + strings.TrimPrefix(subject, events.SubjectPrefix)
	if strings.HasSuffix(subject, ">") {
		return subject
	}
	return subject + ".*"
}

// overhead is what an event needs more than in a log of one host.
func (n names) overhead(subject string) int64 {
	if !n.shared() {
		return 0
	}
	return int64(len(n.write(subject)) - len(subject) + len(conditionSubjectHeader+": \r\n") + len(n.read(subject)))
}

// parse is the inverse of write, for every host.
func (n names) parse(stored string) (subject, writer string) {
	rest, ok := strings.CutPrefix(stored, n.stem)
	at := strings.LastIndexByte(rest, '.')
	if !n.shared() || !ok || at < 0 {
		return stored, ""
	}
	return events.SubjectPrefix + rest[:at], rest[at+1:]
}

func (s *Stream) named() names { return namesOf(s.cfg.Shared) }

func (s *Stream) shared() bool { return s.cfg.Shared != nil }

// consumeKept does as lookUp does, through a consumer. The leader says where it ends,
// as the consumer may live on a server that is behind.
func (s *Stream) consumeKept(ctx context.Context, subject string, from uint64, yield func(Stored, uint64, error) bool) {
	last, err := s.ask(ctx, func(ctx context.Context) (message, error) { return s.conn.last(ctx, subject) })
	switch {
	case errors.Is(err, errNoMessage):
		return
	case err != nil:
		yield(Stored{}, 0, fmt.Errorf("%w: %w", ErrUnavailable, err))
		return
	}
	r := reader{s: s, subject: subject, next: from, end: last.position}
	r.each(ctx, yield)
}

// readKept is Read of a shared log: what is kept of an aggregate without a gap, up to
// its end, as its leader has it.
func (s *Stream) readKept(ctx context.Context, agg events.Aggregate, after, from uint64, yield func(Stored, error) bool) {
	var kept []Stored
	var failed error
	each := s.lookUp
	if from == 1 { // there may be many: one after the other they would take too long
		each = s.consumeKept
	}
	each(ctx, agg.Subject(), from, func(st Stored, position uint64, err error) bool {
		if err != nil {
			failed = fmt.Errorf("read %s: %w", agg, err)
			kept = append(kept, st)
			return false
		}
		s.tails.put(agg, tail{position, st.Event.Seq, st.Hash})
		if st.Event.Seq > after {
			kept = append(kept, st)
		}
		return true
	})
	if failed != nil { // also what is behind it cannot be relied on
		yield(kept[len(kept)-1], failed)
		return
	}
	kept, cut := wholeEnd(kept, after)
	for i, st := range kept {
		st.Cut = cut && i == 0
		if !yield(st, nil) {
			return
		}
	}
}

// wholeEnd is the end of a list of events that has no gap, and whether something is
// missing right before it.
func wholeEnd(kept []Stored, after uint64) (end []Stored, cut bool) {
	for i := len(kept) - 1; i >= 0; i-- {
		before := after
		if i > 0 {
			before = kept[i-1].Event.Seq
		}
		if kept[i].Event.Seq != before+1 {
			return kept[i:], true
		}
	}
	return kept, false
}

// Last is the latest event of an aggregate; ok is false of one that has none.
func (s *Stream) Last(ctx context.Context, agg events.Aggregate) (st Stored, ok bool, err error) {
	m, err := s.ask(ctx, func(ctx context.Context) (message, error) { return s.conn.last(ctx, agg.Subject()) })
	switch {
	case errors.Is(err, errNoMessage):
		return Stored{}, false, nil
	case err != nil:
		return Stored{}, false, fmt.Errorf("read the end of %s: %w: %w", agg, ErrUnavailable, err)
	}
	if st, err = s.stored(m); err != nil {
		return st, false, fmt.Errorf("read the end of %s: %w", agg, err)
	}
	st.Cut = st.Event.Seq > 1
	s.tails.put(agg, tail{m.position, st.Event.Seq, st.Hash})
	return st, true, nil
}

// errLeaderless says that no server leads the log, as without a majority.
var errLeaderless = errors.New("no server leads the log")

// Head is where the log ends; 0 before the first event. A single server that is left
// says that too, so the leader is asked for the latest event as well.
func (s *Stream) Head(ctx context.Context) (uint64, error) {
	i, err := s.conn.info(ctx)
	if err == nil && i.Cluster != nil && i.Cluster.Leader == "" {
		err = errLeaderless
	}
	if err == nil && i.State.LastSeq > 0 {
		_, err = s.conn.next(ctx, "", i.State.LastSeq)
	}
	if err != nil {
		return 0, fmt.Errorf("read the end of the log: %w: %w", ErrUnavailable, err)
	}
	return i.State.LastSeq, nil
}

// FollowLasts yields the latest event of each aggregate and host of a shared log, and
// then follows.
func (s *Stream) FollowLasts(ctx context.Context) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		r := reader{s: s, subject: subjects, lasts: true, follow: true}
		r.all(ctx, yield)
	}
}
