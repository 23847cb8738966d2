package log

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Copies says where a log is stored, as the server knows that answers.
type Copies struct {
	Usage
	Replicas int    // that the stream is to have
	Leader   string // name of the server that leads; empty while none does, and of a server alone
	Servers  []Copy // with the leader, where the stream has more than one
}

// Copy is one server that stores a log.
type Copy struct {
	Name    string
	Current bool // it has all that the leader has
	Offline bool
	Lag     uint64 // events that it lacks
}

// Copies asks where the log is stored.
func (s *Stream) Copies(ctx context.Context) (Copies, error) {
	i, err := s.conn.info(ctx)
	if err != nil {
		return Copies{}, fmt.Errorf("ask where the log is stored: %w: %w", ErrUnavailable, err)
	}
	s.room.refresh(i.State)
	c := Copies{
		Usage:    Usage{Bytes: int64(i.State.Bytes), Quota: s.cfg.Quota, Reserve: s.cfg.Reserve, Events: i.State.Msgs},
		Replicas: i.Config.Replicas,
	}
	if i.Cluster == nil {
		return c, nil
	}
	if c.Leader = i.Cluster.Leader; c.Leader != "" {
		c.Servers = append(c.Servers, Copy{Name: c.Leader, Current: true})
	}
	for _, p := range i.Cluster.Replicas {
		c.Servers = append(c.Servers, Copy{Name: p.Name, Current: p.Current, Offline: p.Offline, Lag: p.Lag})
	}
	return c, nil
}

// Raise has a shared log, and what is kept beside it, stored on so many servers. What
// is stored on more of them stays so.
func (s *Stream) Raise(ctx context.Context, nc *nats.Conn, replicas int) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("raise the replicas: %w", err)
	}
	for _, name := range []string{s.name, "KV_" + textBucket, "KV_" + hostBucket} {
		st, err := js.Stream(ctx, name)
		if err != nil {
			return fmt.Errorf("raise the replicas of %s: %w", name, err)
		}
		c := st.CachedInfo().Config
		if c.Replicas >= replicas {
			continue
		}
		c.Replicas = replicas
		if _, err := js.UpdateStream(ctx, c); err != nil {
			return fmt.Errorf("raise the replicas of %s to %d: %w", name, replicas, err)
		}
	}
	_, err = s.conn.info(ctx) // reads are done in another way from now on
	return err
}
