package hook

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/coord/claim"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	lease "autopilot/projections/claim"
	"autopilot/projections/explain"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// guards says why a chat should not do what a tool of it is about to: it would
// change what its run compares with its start, or the record itself. It is there
// to save an iteration, and proves nothing: that is for the gates.
func (k *Service) guards(ctx context.Context, who chat.Chat, body wire.HookRequest) (string, error) {
	if text, err := k.branchGuard(ctx, who, body); text != "" || err != nil {
		return text, err
	}
	var touches []rule.Touch
	for _, f := range body.Files {
		touches = append(touches, rule.Touch{Path: f})
	}
	if text := k.foreignGuard(ctx, who, body); text != "" {
		return text, nil
	}
	runs := k.drivenBy(who)
	if len(runs) == 0 {
		return "", nil
	}
	touches = k.places(body.Workspace, append(touches, rule.Touches(body.Command)...))
	if len(touches) == 0 {
		return "", nil
	}
	if state := k.cfg.State; slices.ContainsFunc(touches, func(t rule.Touch) bool { return meets(t, state) || meets(t, linked(state)) }) {
		return explain.ChatRecord(runs[0]), nil
	}
	for _, s := range runs {
		if text, err := k.guard(ctx, s, touches); text != "" || err != nil {
			return text, err
		}
	}
	return "", nil
}

// branchGuard says why a command of a chat should not send to a branch: another
// session has a fresh claim on it. Whatever is unexpected is let through.
//
// Source: atdd-kit, seeds 3.10 and 6.2, A57.
func (k *Service) branchGuard(ctx context.Context, who chat.Chat, body wire.HookRequest) (string, error) {
	sends := rule.Sends(body.Command)
	if len(sends) == 0 {
		return "", nil
	}
	for _, s := range sends {
		dir := s.Dir
		if below, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(k.cfg.Home, below)
		} else if !filepath.IsAbs(dir) {
			dir = filepath.Join(body.Workspace, dir)
		}
		ws, err := tree.Find(ctx, dir)
		if err != nil {
			continue // git will say so too
		}
		repository, err := k.cfg.Repos.Of(ctx, ws)
		if err != nil {
			continue
		}
		branch := s.Branch
		if branch == "" && !s.Every {
			branch, _ = ws.Branch() // without one nothing is guarded
		}
		if text, err := k.branchHeld(ctx, who, s, repository, branch); text != "" || err != nil {
			return text, err
		}
	}
	return "", nil
}

// branchHeld says who else holds a branch of a repository that a command sends to. The
// team is asked for it. What was never known of the team is not free.
func (k *Service) branchHeld(ctx context.Context, who chat.Chat, s rule.Send, repository, branch string) (string, error) {
	var keys []claim.Key
	if s.Every {
		if !k.cfg.Claims.Team.Heard() {
			return explain.ChatBranchUnknown("every branch", s.With), nil
		}
		keys = k.cfg.Claims.Keys(ctx, events.ClaimBranch)
	} else if branch != "" {
		keys = []claim.Key{{Kind: events.ClaimBranch, Scope: repository, Name: branch}}
	}
	for _, key := range keys {
		// What everybody merges into is guarded by its host.
		if key.Scope != repository || key.Name == "main" || key.Name == "master" {
			continue
		}
		held, at, err := k.cfg.Claims.Ask(ctx, key)
		switch {
		case errors.Is(err, log.ErrUnavailable):
			return explain.ChatBranchUnknown("branch "+key.Name, s.With), nil
		case err != nil:
			return "", err
		case held.Standing(at) == lease.Live && !k.cfg.Claims.Owns(who, held.Owner):
			return explain.ChatBranch(key.Name, k.cfg.Claims.HolderOf(held.Owner), held.Since, s.With), nil
		}
	}
	return "", nil
}

// guard says what of a run's work tree has to stay as it is.
func (k *Service) guard(ctx context.Context, s run.State, touches []rule.Touch) (string, error) {
	root := k.cfg.Text(s.Facts.Workspace)
	var here []rule.Touch
	for _, t := range touches {
		rel, err := filepath.Rel(root, t.Path)
		switch {
		case err != nil:
		case filepath.IsLocal(rel):
			here = append(here, rule.Touch{Path: filepath.ToSlash(rel), Gone: t.Gone})
		case t.Gone && meets(t, root):
			here = append(here, rule.Touch{Path: ".", Gone: true})
		}
	}
	if len(here) == 0 || root == "" {
		return "", nil
	}
	pinned, approved, err := k.cfg.Worker.Guarded(ctx, s, here)
	switch {
	case err != nil:
		return "", err
	case len(pinned) > 0:
		return explain.ChatPinned(s, pinned), nil
	case len(approved) > 0:
		return explain.ChatApproved(s, approved), nil
	}
	return "", nil
}

// places makes paths absolute: as they are named, and as links lead.
func (k *Service) places(dir string, touches []rule.Touch) []rule.Touch {
	var out []rule.Touch
	for _, t := range touches {
		if below, ok := strings.CutPrefix(t.Path, "~/"); ok {
			t.Path = filepath.Join(k.cfg.Home, below)
		} else if !filepath.IsAbs(t.Path) {
			t.Path = filepath.Join(dir, t.Path)
		}
		if !filepath.IsAbs(t.Path) {
			continue // the caller does not say where it is
		}
		out = append(out, rule.Touch{Path: filepath.Clean(t.Path), Gone: t.Gone})
		if real := linked(t.Path); real != filepath.Clean(t.Path) {
			out = append(out, rule.Touch{Path: real, Gone: t.Gone})
		}
	}
	return out
}

// linked is where the links in a path lead, as far as it is there.
func linked(path string) string {
	for at, rest := filepath.Clean(path), ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
	}
}

// meets says that a touch is of a directory: in it, or of what it is in.
func meets(t rule.Touch, dir string) bool {
	return t.Path == dir || strings.HasPrefix(t.Path, dir+"/") || t.Gone && strings.HasPrefix(dir, strings.TrimSuffix(t.Path, "/")+"/")
}
