package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"autopilot/daemon/bus"
	"autopilot/daemon/config"
	"autopilot/daemon/person"
	"autopilot/daemon/tree"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/host"
)

// trusted is nil if a person agreed to the content of a project's file, as it
// was read, within the repository of the work tree. Who uses the file uses the
// bytes that were asked about, and does not read them again.
func (d *Daemon) trusted(ws tree.Workspace, file config.File) error {
	_, ok, err := d.trustIn(ws, events.Ref(file.Hash()))
	switch {
	case err != nil:
		return err
	case ok:
		return nil
	}
	d.blocked.note(file.Path, time.Now())
	return wire.Errorf(wire.NeedsPerson, "%s is not trusted, so it is not used", file.Path).
		WithHint("apctl trust   shows it, and asks a person at a terminal")
}

// trustIn finds the trust in a content. A record that is not whole says nothing.
func (d *Daemon) trustIn(ws tree.Workspace, content events.Ref) (host.Trust, bool, error) {
	s, err := d.hosts.whole()
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

// projectFile reads the file of the work tree that a directory is in, once.
// What cannot be used is an error: nobody should agree to it.
func projectFile(ctx context.Context, dir string) (tree.Workspace, config.File, error) {
	ws, err := tree.Find(ctx, dir)
	if err != nil {
		return ws, config.File{}, work.NoWorkspace(dir, err)
	}
	f := config.ReadProject(config.ProjectPath(ws.Path)).File
	switch {
	case !f.Exists:
		return ws, f, wire.Errorf(wire.NotFound, "there is no %s, so there is nothing to trust", f.Path).
			WithHint("apctl init   writes one")
	case f.Err() != nil:
		return ws, f, wire.Errorf(wire.Usage, "%v", f.Err()).WithHint("apctl config check")
	case f.Empty():
		return ws, f, wire.Errorf(wire.NotFound, "%s sets nothing, so there is nothing to trust", f.Path).
			WithHint("apctl config set KEY VALUE   sets something")
	case !utf8.Valid(f.Source):
		return ws, f, wire.Errorf(wire.Usage, "%s is not UTF-8 text", f.Path)
	}
	return ws, f, nil
}

// trustView says what is known of the trust in a file, and shows what is new in
// it.
func (d *Daemon) trustView(ws tree.Workspace, f config.File) (wire.TrustView, error) {
	v := wire.TrustView{File: f.Path, Hash: f.Hash()}
	t, ok, err := d.trustIn(ws, events.Ref(v.Hash))
	if err != nil {
		return v, err
	}
	if ok {
		v.Trusted, v.At, v.By, v.Assured = true, &t.At, t.By, string(t.Assurance)
		return v, nil
	}
	before, err := d.trustedBefore(ws)
	if err != nil {
		return v, err
	}
	name, old := "/dev/null", []byte(nil)
	if before != "" {
		if old, err = d.blobs.Get(before); err == nil {
			name, v.Before = "trusted/.autopilot/config.yaml", before
		} // else the whole file is shown: more to read, and nothing is hidden
	}
	v.Diff = string(diff.Diff(name, old, ".autopilot/config.yaml", f.Source))
	return v, nil
}

// trustedBefore is the content that was trusted last, empty for none.
func (d *Daemon) trustedBefore(ws tree.Workspace) (events.Ref, error) {
	repository, err := ws.Repository()
	if err != nil {
		return "", err
	}
	t, _ := d.hosts.state().Latest(repository)
	return t.Config, nil
}

// giveTrust records that an actor agreed to a file.
func (d *Daemon) giveTrust(ctx context.Context, ws tree.Workspace, f config.File, a events.Assurance, actor, cause string) error {
	repository, err := ws.Repository()
	if err != nil {
		return err
	}
	e := events.ConfigTrusted{Repository: repository, Assurance: a}
	if e.Config, err = d.blobs.Put(ctx, f.Source); err == nil {
		e.File, err = d.blobs.Put(ctx, []byte(f.Path))
	}
	if err != nil {
		return fmt.Errorf("keep what is trusted: %w", err)
	}
	_, err = d.hosts.append(ctx, e, actor, cause)
	return err
}

// person proves that a request comes from a person at a terminal, and gives the
// actor that decides.
func (d *Daemon) person(q bus.Request) (person.Proof, string, error) {
	p, err := person.Prove(d.people, person.Daemon{PID: os.Getpid(), UID: os.Getuid(), Owner: d.effects.Owner},
		person.Caller{PID: q.PID, Start: q.Start})
	var r *person.Refusal
	switch {
	case errors.As(err, &r):
		return p, "", wire.Errorf(wire.NeedsPerson, "this needs a person at a terminal: %v", r)
	case err != nil:
		return p, "", err
	}
	return p, events.ActorPerson(q.UID, d.host, p.TTY), nil
}
