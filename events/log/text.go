package log

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"autopilot/events"
)

// ErrNoText says that nobody has stored a text.
var ErrNoText = errors.New("no such text")

// Bounds of the texts of a shared log: what claims are about.
const (
	textBucket = "AP_TEXTS"
	maxText    = 8 << 10
	textsBytes = 32 << 20
	textKept   = 30 * 24 * time.Hour // each taker stores it anew
)

// Texts keeps, beside a log that several hosts share, the texts that its events
// name by hash. Who reads one has to compare it with its name.
type Texts struct{ kv jetstream.KeyValue }

// OpenTexts opens them, and makes their place where there is none.
func OpenTexts(ctx context.Context, nc *nats.Conn, replicas int) (*Texts, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open texts: %w", err)
	}
	kv, err := js.KeyValue(ctx, textBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: textBucket, Description: "texts that events of autopilot name", Replicas: max(replicas, 1),
			MaxValueSize: maxText, MaxBytes: textsBytes, TTL: textKept,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("open texts: %w: %w", ErrUnavailable, err)
	}
	return &Texts{kv}, nil
}

// Put stores a text under its name.
func (t *Texts) Put(ctx context.Context, ref events.Ref, text []byte) error {
	if _, err := t.kv.Put(ctx, string(ref), text); err != nil {
		return fmt.Errorf("store text %s: %w: %w", ref, ErrUnavailable, err)
	}
	return nil
}

// Get is the text that was stored under a name, or ErrNoText.
func (t *Texts) Get(ctx context.Context, ref events.Ref) ([]byte, error) {
	e, err := t.kv.Get(ctx, string(ref))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrInvalidKey):
		return nil, fmt.Errorf("read text %s: %w", ref, ErrNoText)
	case err != nil:
		return nil, fmt.Errorf("read text %s: %w: %w", ref, ErrUnavailable, err)
	}
	return e.Value(), nil
}
