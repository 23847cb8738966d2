package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"autopilot/daemon/config"
	"autopilot/daemon/tree"
	"autopilot/daemon/work"
	"autopilot/daemon/workflow/library"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/host"
)

// agreed is what of a work tree a person agrees to, as it was read once: the
// configuration, the workflows and the prompts.
type agreed struct {
	ws     tree.Workspace
	config config.File
	flows  library.Project
}

// agreedIn reads what counts beside the configuration of a work tree.
func agreedIn(ws tree.Workspace, file config.File) (agreed, error) {
	a := agreed{ws: ws, config: file}
	var err error
	if a.flows, err = library.Read(ws.Path); err != nil {
		return a, wire.Errorf(wire.Usage, "%v", err)
	}
	return a, nil
}

// parts are the files, without a configuration that sets nothing.
func (a agreed) parts() []library.Part {
	if a.config.Empty() {
		return a.flows.Parts(nil)
	}
	return a.flows.Parts(a.config.Source)
}

// content is the text whose hash is trusted.
func (a agreed) content() []byte {
	if parts := a.parts(); len(parts) > 0 {
		return library.Content(parts)
	}
	return a.config.Source
}

func (a agreed) hash() string {
	sum := sha256.Sum256(a.content())
	return hex.EncodeToString(sum[:])
}

// path is what a person is told of: the configuration, if it is all.
func (a agreed) path() string {
	if parts := a.parts(); len(parts) > 1 || len(parts) == 1 && parts[0].Name != library.ConfigName {
		return filepath.Dir(a.config.Path)
	}
	return a.config.Path
}

// trusted is nil if a person agreed to the content of a project's file, as it
// was read, with the workflows and prompts beside it, within the repository of
// the work tree. Who uses the file uses the bytes that were asked about, and does
// not read them again.
func (d *Daemon) trusted(ws tree.Workspace, file config.File) error {
	a, err := agreedIn(ws, file)
	if err != nil {
		return err
	}
	_, ok, err := d.trustIn(ws, events.Ref(a.hash()))
	switch {
	case err != nil:
		return err
	case ok:
		return nil
	}
	d.blocked.note(file.Path, time.Now())
	return wire.Errorf(wire.NeedsPerson, "%s is not trusted, so it is not used", a.path()).
		WithHint("apctl trust   shows it, and asks a person at a terminal")
}

// trustIn finds the trust in a content. A record that is not whole says nothing.
func (d *Daemon) trustIn(ws tree.Workspace, content events.Ref) (host.Trust, bool, error) {
	s, err := d.hosts.Whole()
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

// projectFile reads what counts of the work tree that a directory is in, once.
// What cannot be used is an error: nobody should agree to it.
func projectFile(ctx context.Context, dir string) (agreed, error) {
	ws, err := tree.Find(ctx, dir)
	if err != nil {
		return agreed{ws: ws}, work.NoWorkspace(dir, err)
	}
	f := config.ReadProject(config.ProjectPath(ws.Path)).File
	a, err := agreedIn(ws, f)
	switch parts := a.parts(); {
	case err != nil:
		return a, err
	case f.Err() != nil:
		return a, wire.Errorf(wire.Usage, "%v", f.Err()).WithHint("apctl config check")
	case !f.Exists && len(parts) == 0:
		return a, wire.Errorf(wire.NotFound, "there is no %s, so there is nothing to trust", f.Path).
			WithHint("apctl init   writes one")
	case len(parts) == 0:
		return a, wire.Errorf(wire.NotFound, "%s sets nothing, so there is nothing to trust", f.Path).
			WithHint("apctl config set KEY VALUE   sets something")
	default:
		for _, p := range parts {
			if !utf8.Valid(p.Source) {
				return a, wire.Errorf(wire.Usage, "%s is not UTF-8 text", filepath.Join(ws.Path, p.Name))
			}
		}
	}
	return a, nil
}

// trustView says what is known of the trust in files, and shows what is new in
// them.
func (d *Daemon) trustView(a agreed) (wire.TrustView, error) {
	v := wire.TrustView{File: a.path(), Hash: a.hash(), PIN: d.consent.HasPIN()}
	for _, p := range a.parts() {
		v.Files = append(v.Files, p.Name)
	}
	t, ok, err := d.trustIn(a.ws, events.Ref(v.Hash))
	if err != nil {
		return v, err
	}
	if ok {
		v.Trusted, v.At, v.By, v.Assured = true, &t.At, t.By, string(t.Assurance)
		return v, nil
	}
	before, err := d.trustedBefore(a.ws)
	if err != nil {
		return v, err
	}
	var old []library.Part
	if before != "" {
		if content, err := d.blobs.Get(before); err == nil {
			old, v.Before = library.Split(content), before
		} // else all is shown as new: more to read, and nothing is hidden
	}
	v.Diff = partsDiff(old, a.parts())
	return v, nil
}

// partsDiff shows what is new in files, and which are gone.
func partsDiff(old, now []library.Part) string {
	var b strings.Builder
	one := func(before, after *library.Part) {
		from, to := library.Part{Name: "/dev/null"}, library.Part{Name: "/dev/null"}
		if before != nil {
			from = library.Part{Name: "trusted/" + before.Name, Source: before.Source}
		}
		if after != nil {
			to = *after
		}
		b.Write(diff.Diff(from.Name, from.Source, to.Name, to.Source))
	}
	for i := range now {
		one(partOf(old, now[i].Name), &now[i])
	}
	for i := range old {
		if partOf(now, old[i].Name) == nil {
			one(&old[i], nil)
		}
	}
	return b.String()
}

func partOf(list []library.Part, name string) *library.Part {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// trustedBefore is the content that was trusted last, empty for none.
func (d *Daemon) trustedBefore(ws tree.Workspace) (events.Ref, error) {
	repository, err := ws.Repository()
	if err != nil {
		return "", err
	}
	t, _ := d.hosts.State().Latest(repository)
	return t.Config, nil
}

// giveTrust records that an actor agreed to files.
func (d *Daemon) giveTrust(ctx context.Context, p agreed, a events.Assurance, actor, cause string) error {
	repository, err := p.ws.Repository()
	if err != nil {
		return err
	}
	e := events.ConfigTrusted{Repository: repository, Assurance: a}
	if e.Config, err = d.blobs.Put(ctx, p.content()); err == nil {
		e.File, err = d.blobs.Put(ctx, []byte(p.path()))
	}
	if err != nil {
		return fmt.Errorf("keep what is trusted: %w", err)
	}
	_, err = d.hosts.Append(ctx, e, actor, cause)
	return err
}
