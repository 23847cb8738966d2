package trust

import (
	"context"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/run/workflow/library"
	"autopilot/events"
	"autopilot/events/wire"
)

// Show says whether what counts of a work tree is trusted, and what is new in it.
func (k *Keeper) Show(ctx context.Context, _ auth.Request, body wire.TrustRequest) (wire.TrustView, error) {
	a, err := read(ctx, body.Workspace)
	if err != nil {
		return wire.TrustView{}, err
	}
	return k.view(a)
}

// Give records a person's agreement to the content with a hash. What is
// recorded are the bytes that have that hash now.
func (k *Keeper) Give(ctx context.Context, q auth.Request, body wire.TrustRequest) (wire.TrustView, error) {
	proven, actor, err := k.cfg.People.Prove(q)
	if err != nil {
		return wire.TrustView{}, err
	}
	a, err := read(ctx, body.Workspace)
	if err != nil {
		return wire.TrustView{}, err
	}
	if a.hash() != body.Hash {
		return wire.TrustView{}, wire.Errorf(wire.Conflict, "%s has changed since it was shown, so nothing was trusted", a.path()).
			WithHint("apctl trust   shows it as it is now")
	}
	assurance, err := k.cfg.People.Decide(proven.Assurance, consent.Given{PIN: body.PIN, Right: func() error {
		if body.Typed != wire.Challenge(body.Hash) {
			return wire.Errorf(wire.NeedsPerson, "what was typed is not the start of the hash that was shown, so nothing was trusted")
		}
		return nil
	}, Again: "apctl trust"})
	if err != nil {
		return wire.TrustView{}, err
	}
	if _, ok, err := k.find(a.ws, events.Ref(body.Hash)); err != nil {
		return wire.TrustView{}, err
	} else if !ok {
		// What a person has decided is stored, also when the client leaves now.
		if err := k.record(context.WithoutCancel(ctx), a, assurance, actor, q.ID); err != nil {
			return wire.TrustView{}, err
		}
	}
	return k.view(a)
}

// view says what is known of the trust in files, and shows what is new in
// them.
func (k *Keeper) view(a agreed) (wire.TrustView, error) {
	v := wire.TrustView{File: a.path(), Hash: a.hash(), PIN: k.cfg.People.HasPIN()}
	for _, p := range a.parts() {
		v.Files = append(v.Files, p.Name)
	}
	t, ok, err := k.find(a.ws, events.Ref(v.Hash))
	if err != nil {
		return v, err
	}
	if ok {
		v.Trusted, v.At, v.By, v.Assured = true, &t.At, t.By, string(t.Assurance)
		return v, nil
	}
	before, err := k.before(a.ws)
	if err != nil {
		return v, err
	}
	var old []library.Part
	if before != "" {
		if content, err := k.cfg.Blobs.Get(before); err == nil {
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
