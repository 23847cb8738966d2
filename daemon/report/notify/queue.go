package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Timing bounds how messages are made and sent.
type Timing struct {
	Gather     time.Duration   // what follows so soon is told together
	GatherMost time.Duration   // but nothing waits longer for it
	Burst      int             // messages of a rule within Window; what is more becomes a digest
	Window     time.Duration   //
	Command    time.Duration   // that a command may take
	GitHub     time.Duration   // that one try of a comment may take
	Post       time.Duration   // that one try of a webhook may take
	Backoff    []time.Duration // before each further try of a webhook
	RetryMost  time.Duration   // the longest wait that a server may ask for
}

// DefaultTiming tells within two seconds, and tries a webhook eight times over
// about an hour.
func DefaultTiming() Timing {
	return Timing{
		Gather: 300 * time.Millisecond, GatherMost: 1200 * time.Millisecond, Burst: 5, Window: time.Minute,
		Command: 10 * time.Second, Post: 10 * time.Second, GitHub: 30 * time.Second, RetryMost: 30 * time.Minute,
		Backoff: []time.Duration{
			5 * time.Second, 15 * time.Second, 45 * time.Second, 2 * time.Minute,
			5 * time.Minute, 15 * time.Minute, 35 * time.Minute,
		},
	}
}

// longest is the longest wait before a further try.
func (t Timing) longest() time.Duration {
	return max(t.RetryMost, slices.Max(append(t.Backoff[:len(t.Backoff):len(t.Backoff)], 0)))
}

// Bounds of what a rule keeps.
const (
	maxItems = 50 // named in one digest
	maxViews = 8  // with the whole view of their run, at least Burst
	maxDue   = 50 // messages that wait to be sent
)

// Notice is one thing that happened to a run. Its key is the run, the sequence
// of the event and the kind.
type Notice struct {
	wire.NotificationItem
	View *wire.RunView `json:"view,omitzero"`
	// Comment is what is told at a tracker, as markdown; without it, the line.
	Comment string `json:"comment,omitzero"`
}

// NewNotice makes a notice with its key.
func NewNotice(kind Kind, view wire.RunView, seq uint64, at time.Time, line, next string) Notice {
	return Notice{
		NotificationItem: wire.NotificationItem{
			Key: fmt.Sprintf("%s-%d-%s", view.ID, seq, kind), Kind: string(kind), Time: at,
			Run: view.ID, Handle: view.Handle, Line: line, Next: next,
		},
		View: &view,
	}
}

// batch is notices that are told together. Only the first ones are kept; all are
// counted.
type batch struct {
	Notices []Notice       `json:"notices,omitzero"`
	Counts  map[string]int `json:"counts,omitzero"`
	First   time.Time      `json:"first,omitzero"` // arrival
	Latest  time.Time      `json:"latest,omitzero"`
}

func (b *batch) add(n Notice, now time.Time) {
	if len(b.Counts) == 0 {
		b.Counts, b.First = map[string]int{}, now
	}
	b.Counts[n.Kind]++
	b.Latest = now
	if len(b.Notices) >= maxViews {
		n.View, n.Comment = nil, "" // it will be one of many
	}
	if len(b.Notices) < maxItems {
		b.Notices = append(b.Notices, n)
	}
}

func (b *batch) size() int {
	sum := 0
	for _, n := range b.Counts {
		sum += n
	}
	return sum
}

// message is a notification on its way.
type message struct {
	wire.Notification
	Comment string    `json:"comment,omitzero"`
	Tries   int       `json:"tries,omitzero"` // that failed
	Next    time.Time `json:"not_before,omitzero"`
}

// effect is the id of the effect that tells it by a rule.
func (m message) effect(rule string) string {
	if m.Tries > 0 {
		return effectID(rule, fmt.Sprintf("%s %d", m.Key, m.Tries))
	}
	return effectID(rule, m.Key)
}

// queue is what one rule has yet to tell. It is a value without clock or I/O.
type queue struct {
	Held   batch       `json:"held"`  // gathered, or held back by the pace
	Night  batch       `json:"night"` // held back until the quiet time is over
	Due    []message   `json:"due,omitzero"`
	Sent   []time.Time `json:"sent,omitzero"` // messages made within the window
	Failed int         `json:"failed,omitzero"`
	Error  string      `json:"error,omitzero"` // of the last failure; empty once one has arrived
	At     time.Time   `json:"at,omitzero"`
}

// hush says whether a kind is not to be told now.
type hush func(kind string) bool

func (q *queue) add(n Notice, now time.Time, quiet hush) {
	if quiet(n.Kind) {
		q.Night.add(n, now)
		return
	}
	q.Held.add(n, now)
}

// waiting counts what is still to be told.
func (q *queue) waiting() int { return q.Held.size() + q.Night.size() + len(q.Due) }

// next packs what is ripe and names the message to send now. Without one it
// says when to look again; zero is never, unless something is added.
func (q *queue) next(now time.Time, t Timing, quiet hush) (m message, ok bool, again time.Time) {
	again = q.pack(now, t, quiet)
	for _, m := range q.Due {
		switch {
		case m.hushed(quiet):
			// Looked at again when the quiet time is over, which the caller knows.
		case m.Next.After(now) && m.Next.Sub(now) <= t.longest(): // else the clock was put back
			again = sooner(again, m.Next)
		default:
			return m, true, time.Time{}
		}
	}
	return message{}, false, again
}

// hushed says whether nothing in the message may be told now.
func (m message) hushed(quiet hush) bool {
	if m.Kind != wire.KindDigest {
		return quiet(m.Kind)
	}
	for kind := range m.Counts {
		if !quiet(kind) {
			return false
		}
	}
	return true
}

func sooner(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// pace forgets the messages that count for the pace no more.
func (q *queue) pace(now time.Time, t Timing) {
	q.Sent = slices.DeleteFunc(q.Sent, func(at time.Time) bool { return now.Sub(at) >= t.Window || at.After(now) })
}

// pack makes messages of what is ripe, and says when more will be.
func (q *queue) pack(now time.Time, t Timing, quiet hush) (again time.Time) {
	q.pace(now, t)
	if len(q.Due) >= maxDue {
		return time.Time{} // the messages before it come first
	}
	if q.Night.size() > 0 && !q.Night.hushed(quiet) {
		q.take(&q.Night, 1, now)
	}
	if q.Held.size() == 0 {
		return time.Time{}
	}
	ripe := sooner(q.Held.Latest.Add(t.Gather), q.Held.First.Add(t.GatherMost))
	if ripe.After(now) && !q.Held.First.After(now) { // or the clock was put back
		return ripe
	}
	budget := t.Burst - len(q.Sent)
	if budget <= 0 {
		return q.Sent[0].Add(t.Window)
	}
	q.take(&q.Held, budget, now)
	return time.Time{}
}

func (b *batch) hushed(quiet hush) bool {
	for kind := range b.Counts {
		if quiet(kind) {
			return true
		}
	}
	return false
}

// take empties a batch into messages: one each as far as most goes, else one
// digest.
func (q *queue) take(b *batch, most int, now time.Time) {
	if b.size() <= most {
		for _, n := range b.Notices {
			q.send(message{Notification: single(n), Comment: n.Comment}, now)
		}
	} else {
		q.send(message{Notification: digest(*b), Comment: b.comments()}, now)
	}
	*b = batch{}
}

func (q *queue) send(m message, now time.Time) {
	q.Due = append(q.Due, m)
	q.Sent = append(q.Sent, now)
}

// maxComments bounds comments that are told as one.
const maxComments = 40 << 10

// comments are those of all notices as one; empty where they are not all there,
// or too long, and only their lines are told.
func (b *batch) comments() string {
	var all []string
	size := 0
	for _, n := range b.Notices {
		if size += len(n.Comment); n.Comment == "" || size > maxComments {
			return ""
		}
		all = append(all, n.Comment)
	}
	if len(all) < b.size() {
		return ""
	}
	return strings.Join(all, "\n***\n\n")
}

func single(n Notice) wire.Notification {
	return wire.Notification{Key: n.Key, Kind: n.Kind, Time: n.Time, Line: n.Line, Next: n.Next, Run: n.View}
}

func digest(b batch) wire.Notification {
	sum := sha256.New()
	m := wire.Notification{Kind: wire.KindDigest, Next: "apctl", Counts: b.Counts, More: b.size() - len(b.Notices)}
	for _, n := range b.Notices {
		fmt.Fprintln(sum, n.Key)
		m.Items = append(m.Items, n.NotificationItem)
		if n.Time.After(m.Time) {
			m.Time = n.Time
		}
	}
	fmt.Fprintln(sum, b.size())
	m.Key = "digest-" + hex.EncodeToString(sum.Sum(nil)[:12])
	m.Line = digestLine(b)
	return m
}

// digestLine counts by kind, what needs someone first.
func digestLine(b batch) string {
	var l events.Language
	if len(b.Notices) > 0 {
		l = wire.LanguageOf(b.Notices[0].View)
	}
	var parts []string
	for _, k := range Kinds() {
		if n := b.Counts[string(k)]; n > 0 {
			parts = append(parts, phrase.Say(l, "%[1]d %[2]s", "%[2]s %[1]d 件", n, k.words(l)))
		}
	}
	return phrase.Say(l, "%d notices: %s", "通知 %d 件: %s", b.size(), strings.Join(parts, phrase.Say(l, ", ", "、")))
}

// outcome is what became of one try.
type outcome struct {
	err   error         // nil when it arrived
	again bool          // another try may do better
	after time.Duration // that the server asks to wait, 0 when it does not
}

// settle takes the outcome of the message with that key. It says whether the
// message was given up.
func (q *queue) settle(key string, o outcome, now time.Time, t Timing) (gaveUp bool) {
	i := slices.IndexFunc(q.Due, func(m message) bool { return m.Key == key })
	if i < 0 {
		return false
	}
	if o.err == nil {
		q.Due = slices.Delete(q.Due, i, i+1)
		q.Error, q.At = "", time.Time{}
		return false
	}
	q.Error, q.At = o.err.Error(), now
	m := &q.Due[i]
	if !o.again || m.Tries >= len(t.Backoff) {
		q.Due = slices.Delete(q.Due, i, i+1)
		q.Failed++
		return true
	}
	tries := max(m.Tries, 0) // it comes from a file
	m.Next = now.Add(max(t.Backoff[tries], min(o.after, t.RetryMost)))
	m.Tries = tries + 1
	return false
}
