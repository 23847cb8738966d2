package log

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Bounds of what hosts say of themselves beside a shared log.
const (
	hostBucket = "AP_HOSTS"
	maxHost    = 2 << 10
	hostsBytes = 4 << 20
	hostsKept  = 7 * 24 * time.Hour
)

// Presence keeps, beside a shared log, what each host says of itself. It is in the
// memory of the servers, and written again and again: a write shows that a majority of
// them answers, which no read does.
type Presence struct{ kv jetstream.KeyValue }

// Present is what a host said of itself, and when the servers heard it.
type Present struct {
	Host string
	Text []byte
	At   time.Time // by their clock
}

// OpenPresence opens it, and makes its place where there is none.
func OpenPresence(ctx context.Context, nc *nats.Conn, replicas int) (*Presence, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open the list of hosts: %w", err)
	}
	kv, err := js.KeyValue(ctx, hostBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: hostBucket, Description: "hosts that share a log of autopilot", Replicas: max(replicas, 1),
			MaxValueSize: maxHost, MaxBytes: hostsBytes, TTL: hostsKept, Storage: jetstream.MemoryStorage,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("open the list of hosts: %w: %w", ErrUnavailable, err)
	}
	return &Presence{kv}, nil
}

// Say stores what a host says of itself. A nil error means that a majority has it.
func (p *Presence) Say(ctx context.Context, host string, text []byte) error {
	if _, err := p.kv.Put(ctx, host, text); err != nil {
		return fmt.Errorf("write to the servers: %w: %w", ErrUnavailable, err)
	}
	return nil
}

// All is what every host said last.
func (p *Presence) All(ctx context.Context) ([]Present, error) {
	keys, err := p.kv.ListKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("list hosts: %w: %w", ErrUnavailable, err)
	}
	var all []Present
	for key := range keys.Keys() {
		e, err := p.kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read host %s: %w: %w", key, ErrUnavailable, err)
		}
		all = append(all, Present{key, e.Value(), e.Created().UTC()})
	}
	return all, nil
}
