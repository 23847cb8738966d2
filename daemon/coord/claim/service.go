package claim

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/chat"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	lease "autopilot/projections/claim"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// Bounds of how long a claim may be fresh without a sign of its holder.
const (
	minTTL = 10 * time.Second
	maxTTL = 7 * 24 * time.Hour
)

// Runs are those that this daemon knows.
type Runs interface {
	State(id string) (run.State, bool)
	// Hold keeps runs out of a work tree.
	Hold(project, cause, except string) (release func(), err error)
}

// People tell whether a person decides.
type People interface {
	Prove(q auth.Request) (p person.Proof, actor string, err error)
	Decide(proven events.Assurance, g consent.Given) (events.Assurance, error)
	HasPIN() bool
}

// Service answers the verbs about claims, and says of claims who holds them.
type Service struct {
	*Keeper
	Runs   Runs
	Chats  *chat.Chats
	Repos  *tree.Identities
	People People
}

// List is who holds what: in the repository of a directory, or anywhere.
func (d *Service) List(ctx context.Context, q auth.Request, body wire.ClaimsRequest) (wire.ClaimsView, error) {
	v := wire.ClaimsView{Claims: []wire.ClaimView{}, PIN: d.People.HasPIN()}
	within := map[string]bool{}
	ws, common, err := treeAndCommon(ctx, body.Workspace)
	repository := ""
	if err == nil {
		repository, err = d.Repos.Of(ctx, ws)
	}
	if err != nil && !body.All {
		return v, err
	}
	if !body.All {
		within[ws.Path], within[common], within[repository] = true, true, true
		if other, err := d.elsewhere(ctx, Key{Kind: events.ClaimWorkspace, Scope: ws.Path}); err != nil {
			return v, err
		} else if other != nil {
			v.Claims = append(v.Claims, MarkView(ws.Path, other))
		}
	}
	is := d.Mine(q)
	waiting, cancel := context.WithTimeout(ctx, asks)
	defer cancel()
	d.Team.WaitKnown(waiting)
	v.Team, v.Unknown = d.Team.View(), !d.Team.Heard()
	for _, k := range d.Keys(ctx) {
		if !body.All && !within[k.Scope] && !d.within(ctx, k, within) {
			continue
		}
		s, at, err := d.Peek(ctx, k)
		if errors.Is(err, log.ErrUnavailable) {
			continue // the answer says that the team is out of reach
		}
		if err != nil {
			return v, err
		}
		if s.Held() {
			c := d.View(k, s, at, is)
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

// within says that a work tree is another one of a repository.
func (d *Service) within(ctx context.Context, k Key, within map[string]bool) bool {
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

// keyIn is what a request is about.
func (d *Service) keyIn(ctx context.Context, body wire.ClaimRequest) (Key, error) {
	k, err := Parse(body.Key)
	if err != nil {
		return k, wire.Errorf(wire.Usage, "%v", err).WithHint("as in: apctl peer take branch:fix/parser --ttl 30m")
	}
	ws, _, err := treeAndCommon(ctx, body.Workspace)
	if k.Scope = ws.Path; err == nil && k.Kind != events.ClaimWorkspace {
		k.Scope, err = d.Repos.Of(ctx, ws)
	}
	return k, err
}

// scopeOf is what a claim is within, for people: a path of this host goes without
// its name.
func (d *Service) scopeOf(k Key) string { return strings.TrimSuffix(k.Scope, "@"+d.Host) }

// Mine says of an owner whether it is the caller.
func (d *Service) Mine(q auth.Request) func(events.ClaimOwner) bool {
	who, err := d.Chats.Of(q)
	return func(o events.ClaimOwner) bool { return err == nil && d.Owns(who, o) }
}

// ownerOf is the caller as an owner. has is who holds the claim now: all below its
// process is the same session.
func (d *Service) ownerOf(who chat.Chat, has events.ClaimOwner) events.ClaimOwner {
	if d.Owns(who, has) {
		return has
	}
	return events.ClaimOwner{Host: d.Host, PID: who.PID, Start: who.Start, Boot: who.Boot, Program: who.Program}
}

// Take gets a claim for the caller, or renews it.
func (d *Service) Take(ctx context.Context, q auth.Request, body wire.ClaimRequest) (wire.ClaimsView, error) {
	ttl := time.Duration(body.TTL) * time.Second
	if ttl != 0 && (ttl < minTTL || ttl > maxTTL) {
		return wire.ClaimsView{}, wire.Errorf(wire.Usage, "a claim is taken for 10s up to 168h, not for %s", ttl).
			WithHint("apctl peer take %s --ttl 2h", phrase.Quote(body.Key))
	}
	k, err := d.keyIn(ctx, body)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	who, err := d.Chats.Of(q)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	has, _, err := d.Peek(ctx, k)
	if err != nil {
		return wire.ClaimsView{}, d.Fault(err)
	}
	if k.Kind == events.ClaimWorkspace && !d.Owns(who, has.Owner) {
		ws, err := tree.Find(ctx, k.Scope)
		if err != nil {
			return wire.ClaimsView{}, err
		}
		release, err := d.Runs.Hold(ws.ID, q.ID, "")
		if err != nil {
			return wire.ClaimsView{}, err
		}
		defer release()
	}
	owner := d.ownerOf(who, has.Owner)
	if ttl == 0 {
		ttl = TTL
		if owner.Same(has.Owner) {
			ttl = has.TTL
		}
	}
	s, at, err := d.take(ctx, wish{key: k, owner: owner, who: Holder(owner), ttl: ttl, actor: who.Actor, cause: q.ID})
	if err != nil {
		return wire.ClaimsView{}, d.Fault(err)
	}
	return wire.ClaimsView{Claims: []wire.ClaimView{d.View(k, s, at, d.Mine(q))}}, nil
}

// Drop gives a claim back.
func (d *Service) Drop(ctx context.Context, q auth.Request, body wire.ClaimRequest) (wire.ClaimsView, error) {
	k, err := d.keyIn(ctx, body)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	who, err := d.Chats.Of(q)
	if err != nil {
		return wire.ClaimsView{}, err
	}
	_, err = d.drop(ctx, k, func(has events.ClaimOwner) events.ClaimOwner { return d.ownerOf(who, has) }, who.Actor, q.ID)
	if errors.Is(err, lease.ErrFree) {
		if other, lerr := d.elsewhere(ctx, k); lerr != nil || other != nil {
			return wire.ClaimsView{}, errors.Join(lerr, d.markFault(k, other))
		}
		return wire.ClaimsView{}, wire.Errorf(wire.NotFound, "no session holds %s here, so there is nothing to give back", k).
			WithHint("apctl peer claims   lists what is held")
	}
	if err != nil {
		return wire.ClaimsView{}, d.Fault(err)
	}
	return wire.ClaimsView{Claims: []wire.ClaimView{{Key: k.String(), Kind: string(k.Kind), Of: d.scopeOf(k), State: wire.ClaimFree}}}, nil
}

// Force takes a claim from its holder, once a person has decided that. Before
// it shows the holder. One that is live of this daemon's runs is to be stopped
// instead.
//
// Source: atdd-kit, seeds 6.2, A43: a takeover was silent.
func (d *Service) Force(ctx context.Context, q auth.Request, body wire.ClaimRequest) (wire.ClaimsView, error) {
	k, err := d.keyIn(ctx, body)
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
	proven, actor, err := d.People.Prove(q)
	if err == nil {
		proven.Assurance, err = d.People.Decide(proven.Assurance, consent.Given{PIN: body.PIN, Right: func() error {
			if body.Typed != k.String() {
				return wire.Errorf(wire.NeedsPerson, "the input is not %s, so nothing was forced", k)
			}
			return nil
		}, Again: "apctl peer drop " + phrase.Quote(k.String()) + " --force"})
	}
	if err != nil {
		return wire.ClaimsView{}, err
	}
	if v.Claims[0].Fence != body.Fence {
		return wire.ClaimsView{}, wire.Errorf(wire.Conflict, "the holder of %s has changed since it was shown, so nothing was forced", k).
			WithHint("apctl peer claims   shows the holder")
	}
	if other != nil {
		err = d.forceMark(ctx, k, proven.Assurance, actor, q.ID)
	} else {
		_, err = d.end(ctx, k, func(s lease.State) (events.Data, error) {
			return lease.Force(s, body.Fence, proven.Assurance)
		}, actor, q.ID)
	}
	if err != nil {
		return wire.ClaimsView{}, d.Fault(err)
	}
	free := v.Claims[0]
	free.State, free.Forced, free.Assurance = wire.ClaimFree, true, string(proven.Assurance)
	return wire.ClaimsView{Claims: []wire.ClaimView{free}}, nil
}

// forcible shows what would be forced: a claim of this log, or the mark of another
// state directory.
func (d *Service) forcible(ctx context.Context, q auth.Request, k Key) (wire.ClaimsView, *MarkedError, error) {
	v := wire.ClaimsView{PIN: d.People.HasPIN()}
	s, at, err := d.Peek(ctx, k)
	if err != nil {
		return v, nil, d.Fault(err)
	}
	if s.Held() {
		if s.Owner.Run != "" && s.Owner.Host == d.Host && at.Alive {
			return v, nil, d.Fault(&HeldError{Key: k, State: s, At: at})
		}
		v.Claims = []wire.ClaimView{d.View(k, s, at, d.Mine(q))}
		return v, nil, nil
	}
	other, err := d.elsewhere(ctx, k)
	switch {
	case err != nil:
		return v, nil, err
	case other == nil:
		return v, nil, wire.Errorf(wire.NotFound, "nobody holds %s, so there is nothing to force", k).WithHint("apctl peer claims   lists what is held")
	case other.Locked:
		return v, nil, d.markFault(k, other)
	}
	v.Claims = []wire.ClaimView{MarkView(k.Scope, other)}
	return v, other, nil
}
