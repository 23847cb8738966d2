package trust

import (
	"context"
	"fmt"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/host"
)

// People tell whether a person decides.
type People interface {
	Prove(q auth.Request) (p person.Proof, actor string, err error)
	Decide(proven events.Assurance, g consent.Given) (events.Assurance, error)
	HasPIN() bool
}

// Config is what a Keeper works with.
type Config struct {
	Hosts    *journal.Aggregate[host.State] // what is trusted is said there
	Blobs    *blob.Store
	People   People
	Language func() events.Language // of what is shown of no run
}

// Keeper knows what is trusted. All of it may be used from many goroutines.
type Keeper struct {
	cfg     Config
	blocked blocked
}

// New is the Keeper of a host.
func New(cfg Config) *Keeper { return &Keeper{cfg: cfg} }

// Check is nil if a person agreed to the content of a project's file, as it
// was read, with the workflows and prompts beside it, within the repository of
// the work tree. Who uses the file uses the bytes that were asked about, and does
// not read them again.
func (k *Keeper) Check(ws tree.Workspace, file config.File) error {
	a, err := agreedIn(ws, file)
	if err != nil {
		return err
	}
	_, ok, err := k.find(ws, events.Ref(a.hash()))
	switch {
	case err != nil:
		return err
	case ok:
		return nil
	}
	k.blocked.note(file.Path, time.Now())
	return wire.Errorf(wire.NeedsPerson, "%s is not trusted, so it is not used", a.path()).
		WithHint("apctl trust   shows it, and asks a person at a terminal")
}

// find finds the trust in a content. A record that is not whole says nothing.
func (k *Keeper) find(ws tree.Workspace, content events.Ref) (host.Trust, bool, error) {
	s, err := k.cfg.Hosts.Whole()
	if err != nil {
		return host.Trust{}, false, wire.Errorf(wire.Failed, "%v, so no configuration is trusted", err).
			WithHint("apctl verify --all   says what is wrong with it")
	}
	repository, err := ws.Repository()
	if err != nil {
		return host.Trust{}, false, err
	}
	t, ok := s.Find(repository, content)
	return t, ok, nil
}

// before is the content that was trusted last, empty for none.
func (k *Keeper) before(ws tree.Workspace) (events.Ref, error) {
	repository, err := ws.Repository()
	if err != nil {
		return "", err
	}
	t, _ := k.cfg.Hosts.State().Latest(repository)
	return t.Config, nil
}

// record stores that an actor agreed to files.
func (k *Keeper) record(ctx context.Context, p agreed, a events.Assurance, actor, cause string) error {
	repository, err := p.ws.Repository()
	if err != nil {
		return err
	}
	e := events.ConfigTrusted{Repository: repository, Assurance: a}
	if e.Config, err = k.cfg.Blobs.Put(ctx, p.content()); err == nil {
		e.File, err = k.cfg.Blobs.Put(ctx, []byte(p.path()))
	}
	if err != nil {
		return fmt.Errorf("keep what is trusted: %w", err)
	}
	_, err = k.cfg.Hosts.Append(ctx, e, actor, cause)
	return err
}
