package events

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxBytes is the largest encoded event.
const MaxBytes = 64 << 10

// SpecVersion is the CloudEvents version of the envelope.
const SpecVersion = "1.0"

// ErrTooLarge is returned for an event over MaxBytes.
var ErrTooLarge = errors.New("event over 64 KiB")

// Data is the payload of an event: one of the types of this package, or
// Unknown. EventType is the stored name with its version, as in
// "iteration.started.v1".
type Data interface{ EventType() string }

// Event is one fact about one aggregate.
type Event struct {
	ID        string // ULID, the identity that a lost reply is resolved by
	Source    string // "autopilot/<host id>"
	Aggregate Aggregate
	Time      time.Time // UTC, by the clock of the host that wrote it
	Seq       uint64    // 1, 2, 3 ... within the aggregate
	PrevHash  string    // Hash of the previous stored bytes, empty at Seq 1
	Actor     string    // who did it, as in actor.go
	Causation string    // id of the request that caused it, or empty
	Trace     string    // W3C traceparent, or empty
	Data      Data

	// Extra holds envelope members that this version does not know.
	Extra jsontext.Value
}

// envelope is the stored form of Event. D is any when an event is written, so
// that one pass writes envelope and data, and jsontext.Value when it is read,
// as the type decides how the data is.
type envelope[D any] struct {
	SpecVersion string         `json:"specversion"`
	ID          string         `json:"id"`
	Source      string         `json:"source"`
	Type        string         `json:"type"`
	Subject     string         `json:"subject"`
	Time        time.Time      `json:"time"`
	Seq         uint64         `json:"seq"`
	PrevHash    string         `json:"prevhash,omitzero"`
	Actor       string         `json:"actor"`
	Causation   string         `json:"causationid,omitzero"`
	Trace       string         `json:"traceparent,omitzero"`
	Data        D              `json:"data"`
	Extra       jsontext.Value `json:",embed"`
}

// Hash is the SHA-256 of stored bytes in lower-case hex: the next event's
// prevhash.
func Hash(stored []byte) string {
	sum := sha256.Sum256(stored)
	return hex.EncodeToString(sum[:])
}

// Encode writes an event in its stored form. It refuses an event without id,
// type, aggregate, sequence or time, and one over MaxBytes.
func Encode(e Event) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(&envelope[any]{
		SpecVersion: SpecVersion,
		ID:          e.ID,
		Source:      e.Source,
		Type:        e.Data.EventType(),
		Subject:     e.Aggregate.String(),
		Time:        e.Time.UTC(),
		Seq:         e.Seq,
		PrevHash:    e.PrevHash,
		Actor:       e.Actor,
		Causation:   e.Causation,
		Trace:       e.Trace,
		Data:        payload(e.Data),
		Extra:       e.Extra,
	}, jsontext.PreserveRawStrings(true)) // what is unknown keeps its escapes too
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Data.EventType(), err)
	}
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("encode %s: %d bytes: %w", e.Data.EventType(), len(b), ErrTooLarge)
	}
	return b, nil
}

func (e Event) check() error {
	switch {
	case e.ID == "":
		return errors.New("encode event: no id")
	case e.Data == nil:
		return errors.New("encode event: no data")
	case e.Aggregate.ID == "":
		return errors.New("encode event: no aggregate")
	case e.Seq == 0:
		return errors.New("encode event: no sequence")
	case e.Time.IsZero():
		return errors.New("encode event: no time")
	case (e.Seq == 1) != (e.PrevHash == ""):
		return errors.New("encode event: a previous hash belongs to every event but the first")
	}
	if u, ok := e.Data.(Unknown); ok && (u.Type == "" || len(u.Raw) == 0) {
		return errors.New("encode event: unknown data without type or bytes")
	}
	return nil
}

// Decode reads an event in its stored form. Duplicate member names, trailing
// bytes and anything over MaxBytes are errors; an unknown type is not: its
// data is an Unknown.
func Decode(b []byte) (Event, error) {
	if len(b) > MaxBytes {
		return Event{}, fmt.Errorf("decode event: %d bytes: %w", len(b), ErrTooLarge)
	}
	if e, ok := decodeQuick(b); ok {
		return e, nil
	}
	return decodeFull(b)
}

// decodeFull is Decode for an event of any form.
func decodeFull(b []byte) (Event, error) {
	var v envelope[jsontext.Value]
	if err := json.Unmarshal(b, &v); err != nil {
		return Event{}, fmt.Errorf("decode event: %s", JSONMistake(err))
	}
	if v.SpecVersion != SpecVersion {
		return Event{}, fmt.Errorf("decode event: specversion %q, want %q", v.SpecVersion, SpecVersion)
	}
	agg, err := ParseAggregate(v.Subject)
	if err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	data, err := decodeData(v.Type, v.Data)
	if err != nil {
		return Event{}, fmt.Errorf("decode %s: %w", v.Type, err)
	}
	e := Event{
		ID: v.ID, Source: v.Source, Aggregate: agg, Time: v.Time.UTC(), Seq: v.Seq,
		PrevHash: v.PrevHash, Actor: v.Actor, Causation: v.Causation, Trace: v.Trace,
		Data: data, Extra: v.Extra,
	}
	if err := e.check(); err != nil {
		return Event{}, fmt.Errorf("decode %s: %w", v.Type, err)
	}
	return e, nil
}
