package daemon

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/bus"
	"autopilot/daemon/chat"
	"autopilot/daemon/claim"
	"autopilot/daemon/tree"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	lease "autopilot/projections/claim"
)

// Bounds of how long a claim may be fresh without a sign of its holder.
const (
	minClaimTTL = 10 * time.Second
	maxClaimTTL = 7 * 24 * time.Hour
)

// peerClaims lists who holds what: in the repository of a directory, or anywhere.
func (d *Daemon) peerClaims(ctx context.Context, q bus.Request, body wire.ClaimsRequest) (wire.ClaimsView, error) {
	v := wire.ClaimsView{Claims: []wire.ClaimView{}, PIN: d.hasPIN()}
	within := map[string]bool{}
	ws, common, err := treeAndCommon(ctx, body.Workspace)
	repository := ""
	if err == nil {
		repository, err = d.repos.Of(ctx, ws)
	}
	if err != nil && !body.All {
		return v, err
	}
	if !body.All {
		within[ws.Path], within[common], within[repository] = true, true, true
		if other, err := d.claims.Elsewhere(ctx, claim.Key{Kind: events.ClaimWorkspace, Scope: ws.Path}); err != nil {
			return v, err
		} else if other != nil {
			v.Claims = append(v.Claims, markView(ws.Path, other))
		}
	}
	is := d.asker(q)
	v.Team = d.team.View()
	for _, k := range d.claims.Keys(ctx) {
		if !body.All && !within[k.Scope] && !d.shares(ctx, k, within) {
			continue
		}
		s, at, err := d.claims.Peek(ctx, k)
		if errors.Is(err, log.ErrUnavailable) {
			continue // the answer says that the team is out of reach
		}
		if err != nil {
			return v, err
		}
		if s.Held() {
			c := d.claimView(k, s, at, is)
			if k.Scope == repository {
				c.Directory = mainTree(ws, common)
			}
			v.Claims = append(v.Claims, c)
		}
	}
	slices.SortFunc(v.Claims, func(a, b wire.ClaimView) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Key, b.Key))
	})
	return v, nil
}

// shares says that a work tree is another one of a repository.
func (d *Daemon) shares(ctx context.Context, k claim.Key, within map[string]bool) bool {
	if k.Kind != events.ClaimWorkspace {
		return false
	}
	_, common, err := treeAndCommon(ctx, k.Scope)
	return err == nil && within[common]
}

// mainTree is the directory that people know a repository by, as far as it has one.
func mainTree(ws tree.Workspace, common string) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return ws.Path
}

func treeAndCommon(ctx context.Context, dir string) (tree.Workspace, string, error) {
	ws, err := tree.Find(ctx, dir)
	if err != nil {
		return ws, "", wire.Errorf(wire.NotFound, "%s is not in a git work tree, so there is nothing to claim", dir).
			WithHint("cd to one; apctl peer claims --all   lists what is held anywhere")
	}
	common, err := ws.Common()
	return ws, common, err
}

// claimKey is what a request is about.
func (d *Daemon) claimKey(ctx context.Context, body wire.ClaimRequest) (claim.Key, error) {
	k, err := claim.Parse(body.Key)
	if err != nil {
		return k, wire.Errorf(wire.Usage, "%v", err).WithHint("as in: apctl peer take branch:fix/parser --ttl 30m")
	}
	ws, _, err := treeAndCommon(ctx, body.Workspace)
	if k.Scope = ws.Path; err == nil && k.Kind != events.ClaimWorkspace {
		k.Scope, err = d.repos.Of(ctx, ws)
	}
	return k, err
}

// scopeOf is what a claim is within, for people: a path of this host goes without
// its name.
func (d *Daemon) scopeOf(k claim.Key) string { return strings.TrimSuffix(k.Scope, "@"+d.host) }

// asker says of an owner whether it is who asks.
func (d *Daemon) asker(q bus.Request) func(events.ClaimOwner) bool {
	who, err := d.chats.Of(q)
	return func(o events.ClaimOwner) bool { return err == nil && d.owns(who, o) }
}

// owns says that a chat is an owner, or below it.
func (d *Daemon) owns(who chat.Chat, o events.ClaimOwner) bool {
	return o.Host == d.host && o.Run == "" && o.Same(o) && who.Is(events.SessionJoined{PID: o.PID, Start: o.Start, Boot: o.Boot})
}

// ownerOf is who asks as an owner. has is who holds the claim now: all below its
// process is the same session.
func (d *Daemon) ownerOf(who chat.Chat, has events.ClaimOwner) events.ClaimOwner {
	if d.owns(who, has) {
		return has
	}
	return events.ClaimOwner{Host: d.host, PID: who.PID, Start: who.Start, Boot: who.Boot, Program: who.Program}
}

// peerTake takes a claim for who asks, or renews it.
func (d *Daemon) peerTake(ctx context.Context, q bus.Request, body wire.ClaimRequest) (wire.ClaimsView, error) {
	ttl := time.Duration(body.TTL) * time.Second
	if body.TTL == 0 {
		ttl = claim.TTL
	}
	if ttl < minClaimTTL || ttl > maxClaimTTL {
		return wire.ClaimsView{}, wire.Errorf(wire.Usage, "a claim is taken for 10s up to 168h, not for %s", ttl).
			WithHint("apctl peer take %s --ttl 2h", body.Key)
	}
	k, err := d.claimKey(ctx, body)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	who, err := d.chats.Of(q)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	has, _, err := d.claims.Peek(ctx, k)
	if err != nil {
		return wire.ClaimsView{}, d.claimFault(err)
	}
	if k.Kind == events.ClaimWorkspace && !d.owns(who, has.Owner) {
		ws, err := tree.Find(ctx, k.Scope)
		if err != nil {
			return wire.ClaimsView{}, err
		}
		release, err := d.fleet.Hold(ws.ID, q.ID, "")
		if err != nil {
			return wire.ClaimsView{}, err
		}
		defer release()
	}
	owner := d.ownerOf(who, has.Owner)
	s, at, err := d.claims.Take(ctx, claim.Wish{Key: k, Owner: owner, Who: holder(owner), TTL: ttl, Actor: who.Actor, Cause: q.ID})
	if err != nil {
		return wire.ClaimsView{}, d.claimFault(err)
	}
	return wire.ClaimsView{Claims: []wire.ClaimView{d.claimView(k, s, at, d.asker(q))}}, nil
}

// peerDrop gives a claim back.
func (d *Daemon) peerDrop(ctx context.Context, q bus.Request, body wire.ClaimRequest) (wire.ClaimsView, error) {
	k, err := d.claimKey(ctx, body)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	who, err := d.chats.Of(q)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	_, err = d.claims.Drop(ctx, k, func(has events.ClaimOwner) events.ClaimOwner { return d.ownerOf(who, has) }, who.Actor, q.ID)
	if errors.Is(err, lease.ErrFree) {
		if other, lerr := d.claims.Elsewhere(ctx, k); lerr != nil || other != nil {
			return wire.ClaimsView{}, errors.Join(lerr, d.markFault(k, other))
		}
		return wire.ClaimsView{}, wire.Errorf(wire.NotFound, "nobody holds %s here, so there is nothing to give back", k).
			WithHint("apctl peer claims   lists what is held")
	}
	if err != nil {
		return wire.ClaimsView{}, d.claimFault(err)
	}
	return wire.ClaimsView{Claims: []wire.ClaimView{{Key: k.String(), Kind: string(k.Kind), Of: d.scopeOf(k), State: wire.ClaimFree}}}, nil
}

// peerForce takes a claim from its holder, once a person has decided that. Before
// it shows the holder. One that is live of this daemon's runs is to be stopped
// instead.
//
// Source: atdd-kit, seeds 6.2, A43: a takeover was silent.
func (d *Daemon) peerForce(ctx context.Context, q bus.Request, body wire.ClaimRequest) (wire.ClaimsView, error) {
	k, err := d.claimKey(ctx, body)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	v, other, err := d.forcible(ctx, q, k)
	if ws, common, terr := treeAndCommon(ctx, body.Workspace); err == nil && terr == nil && k.Kind != events.ClaimWorkspace {
		v.Claims[0].Directory = mainTree(ws, common)
	}
	if err != nil || !body.Decided {
		return v, err
	}
	proven, actor, err := d.person(q)
	if err == nil {
		proven.Assurance, err = d.decides(proven.Assurance, consent{body.PIN, func() error {
			if body.Typed != k.String() {
				return wire.Errorf(wire.NeedsPerson, "what was typed is not %s, so nothing was forced", k)
			}
			return nil
		}, "apctl peer drop " + quoted(k.String()) + " --force"})
	}
	if err != nil {
		return wire.ClaimsView{}, err
	}
	if v.Claims[0].Fence != body.Fence {
		return wire.ClaimsView{}, wire.Errorf(wire.Conflict, "another holds %s than the one that was shown, so nothing was forced", k).
			WithHint("apctl peer claims   shows who")
	}
	if other != nil {
		err = d.claims.ForceMark(ctx, k, proven.Assurance, actor, q.ID)
	} else {
		_, err = d.claims.End(ctx, k, func(s lease.State) (events.Data, error) {
			return lease.Force(s, body.Fence, proven.Assurance)
		}, actor, q.ID)
	}
	if err != nil {
		return wire.ClaimsView{}, d.claimFault(err)
	}
	free := v.Claims[0]
	free.State, free.Forced, free.Assurance = wire.ClaimFree, true, string(proven.Assurance)
	return wire.ClaimsView{Claims: []wire.ClaimView{free}}, nil
}

// forcible shows what would be forced: a claim of this log, or the mark of another
// state directory.
func (d *Daemon) forcible(ctx context.Context, q bus.Request, k claim.Key) (wire.ClaimsView, *claim.MarkedError, error) {
	v := wire.ClaimsView{PIN: d.hasPIN()}
	s, at, err := d.claims.Peek(ctx, k)
	if err != nil {
		return v, nil, d.claimFault(err)
	}
	if s.Held() {
		if s.Owner.Run != "" && s.Owner.Host == d.host && at.Alive {
			return v, nil, d.claimFault(&claim.HeldError{Key: k, State: s, At: at})
		}
		v.Claims = []wire.ClaimView{d.claimView(k, s, at, d.asker(q))}
		return v, nil, nil
	}
	other, err := d.claims.Elsewhere(ctx, k)
	switch {
	case err != nil:
		return v, nil, err
	case other == nil:
		return v, nil, wire.Errorf(wire.NotFound, "nobody holds %s, so there is nothing to force", k).WithHint("apctl peer claims   lists what is held")
	case other.Locked:
		return v, nil, d.markFault(k, other)
	}
	v.Claims = []wire.ClaimView{markView(k.Scope, other)}
	return v, other, nil
}
