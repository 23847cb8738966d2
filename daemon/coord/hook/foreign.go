package hook

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/coord/claim"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// foreignRun is the live run whose work tree a chat is about to write to without being
// a part of it, with the files. While a run asks a person, who answers may have things
// changed; one that waits for a chat is that chat's to join.
//
// Source: Field reports, B.4 61.
func (k *Service) foreignRun(ctx context.Context, who chat.Chat, touches []rule.Touch) (run.State, []string) {
	trees := map[string]run.State{}
	for _, s := range k.cfg.Runs.LiveStates() {
		mine := s.Driver != nil && who.Is(s.Driver.SessionJoined)
		if !mine && s.Stage != run.Asking && (!s.Driven() || s.Driver != nil && !k.cfg.Chats.Gone(s.Driver.SessionJoined)) {
			trees[s.Facts.Project] = *s
		}
	}
	if len(trees) == 0 {
		return run.State{}, nil
	}
	var of run.State
	var files []string
	for _, t := range touches {
		ws, ok := treeAround(ctx, t.Path)
		if !ok {
			continue
		}
		s, live := trees[ws.ID]
		rel, err := filepath.Rel(ws.Path, t.Path)
		if !live || err != nil || !rule.Counts(filepath.ToSlash(rel)) && rel != "." || of.ID != "" && of.ID != s.ID {
			continue
		}
		if of = s; !slices.Contains(files, filepath.ToSlash(rel)) {
			files = append(files, filepath.ToSlash(rel))
		}
	}
	return of, files
}

// treeAround is the work tree that a path is in, or would be.
func treeAround(ctx context.Context, path string) (tree.Workspace, bool) {
	for dir := path; ; dir = filepath.Dir(dir) {
		ws, err := tree.Find(ctx, dir)
		if err == nil {
			return ws, true
		}
		if dir == filepath.Dir(dir) {
			return tree.Workspace{}, false
		}
	}
}

// Written is what a chat wrote into the work tree of a run that is not its own.
type Written struct {
	Run   string
	Who   chat.Chat
	Files []string // within the work tree
}

// wrote looks after a tool that a chat has used: where it wrote into the work
// tree of a run that is not its own, that run hears of it.
func (k *Service) wrote(who chat.Chat, body wire.HookRequest) {
	ctx, done := k.cfg.Lasting(context.Background())
	defer done()
	if s, files := k.foreignRun(ctx, who, k.touchesOf(body)); len(files) > 0 {
		k.cfg.Wrote(Written{s.ID, who, files})
	}
}

// Note stores which files are not as the run knew them: one look after the
// other, for each adds to what the run knows. The error is engine.ErrStale where the
// run has gone on.
func (k *Service) Note(ctx context.Context, w Written) error {
	k.looking.Lock()
	defer k.looking.Unlock()
	s, ok := k.cfg.Runs.State(w.Run)
	if !ok {
		return engine.ErrStale
	}
	found, err := k.cfg.Worker.Strangers(ctx, s, func(path string) bool {
		return slices.ContainsFunc(w.Files, func(f string) bool { return f == "." || f == path || strings.HasPrefix(path, f+"/") })
	})
	if err != nil || len(found) == 0 {
		return err
	}
	if s.Foreign != nil {
		found = append(found, k.cfg.Lines(s.Foreign.Files)...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	seen := events.ForeignSeen{
		Files: k.cfg.Worker.Text(ctx, work.Lines(found)), Count: len(found),
		By: k.cfg.Worker.Text(ctx, claim.Holder(events.ClaimOwner{Program: w.Who.Program, PID: w.Who.PID})),
	}
	_, err = k.cfg.Runs.Do(ctx, s.ID, engine.Foreign{ForeignSeen: seen}, events.ActorDaemon(k.cfg.Chats.Host), "")
	return err
}

// touchesOf are the paths that a tool of a chat writes to, as far as its host tells.
func (k *Service) touchesOf(body wire.HookRequest) []rule.Touch {
	touches := rule.Touches(body.Command)
	for _, f := range body.Files {
		touches = append(touches, rule.Touch{Path: f})
	}
	for _, dir := range rule.Rewrites(body.Command) {
		touches = append(touches, rule.Touch{Path: dir})
	}
	return k.places(body.Workspace, touches)
}

// foreignGuard says why a chat should not write into the work tree of a run.
func (k *Service) foreignGuard(ctx context.Context, who chat.Chat, body wire.HookRequest) string {
	s, files := k.foreignRun(ctx, who, k.touchesOf(body))
	if len(files) == 0 {
		return ""
	}
	return explain.ChatForeign(*k.cfg.Writer(s), files, time.Now())
}
