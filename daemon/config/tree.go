package config

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"autopilot/events/wire"
)

// homePrefix is what a path below the user's home begins with.
const homePrefix = "~/"

// defaultSeed are the files that a work tree mostly needs, where git ignores them:
// what is in a commit is there already.
//
// Source: atdd-kit, A53.
func defaultSeed() []string {
	return []string{
		".env", ".env.local", ".claude/settings.local.json",
		".autopilot/config.yaml", ".autopilot/workflows", ".autopilot/prompts",
	}
}

func seedDefault() string { return "[" + strings.Join(defaultSeed(), ", ") + "]" }

// trees checks the settings of work trees.
func (f *faults) trees(base wire.WorktreeBase, seed []string) {
	f.word("worktree_base", string(base), string(wire.WorktreeHead), string(wire.WorktreeOrigin))
	for i, glob := range seed {
		_, err := path.Match(glob, "")
		switch {
		case glob == "" || !filepath.IsLocal(glob) || slices.Contains(strings.Split(glob, "/"), ".."):
			f.add("worktree_seed."+strconv.Itoa(i), "write it from the top of the work tree, as .env or 'config/*.local.yml'", "%q is not a path below it", glob)
		case err != nil || strings.ContainsRune(glob, 0):
			f.add("worktree_seed."+strconv.Itoa(i), "write it as .env or 'config/*.local.yml'; * is within one directory", "%q is not a glob", glob)
		}
	}
}

// Worktree is what the files say of work trees.
func (l Layers) Worktree() wire.WorktreeSettings {
	w := wire.WorktreeSettings{Base: wire.WorktreeHead, Seed: defaultSeed()}
	if l.User != nil && l.User.doc != nil {
		w = underlay(w, l.User.File, l.User.Worktree, l.User.TreeBase, l.User.TreeSeed)
		w.Root = l.User.TreeRoot
	}
	if l.Project != nil && l.Project.doc != nil {
		w = underlay(w, l.Project.File, l.Project.Worktree, l.Project.TreeBase, l.Project.TreeSeed)
	}
	return w
}

// underlay lays what a file says over what is known.
func underlay(w wire.WorktreeSettings, f File, wanted bool, base wire.WorktreeBase, seed []string) wire.WorktreeSettings {
	if f.sets("worktree") {
		w.Wanted = wanted
	}
	if f.sets("worktree_base") {
		w.Base = base
	}
	if f.sets("worktree_seed") {
		w.Seed = append([]string{}, seed...)
	}
	return w
}
