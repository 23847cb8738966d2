package worktree

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"autopilot/events/wire"
)

// Ask is what is wanted.
type Ask struct {
	Dir    string // in the work tree that it is made from
	Branch string // typed by the user; one that is there is gone on with
	Name   string // where no branch was typed
	Again  bool   // a work tree of that name that is there is gone on with, instead of one with another name
	At     string // the commit that a new branch begins at; empty: at Base
	Base   wire.WorktreeBase
	Strict bool     // a base that is not there is an error, else it is head
	Root   string   // the user's for work trees; empty is beside the repository
	Seed   []string // globs of ignored files that are copied
}

// Kind is how much of a work tree there is already.
type Kind int

// The kinds.
const (
	Fresh     Kind = iota // branch and directory are made
	OldBranch             // the branch is there
	OldTree               // the work tree is there
)

// Plan is a work tree that would be made, or is there.
type Plan struct {
	Kind        Kind
	From        string // the work tree that it is made from
	Root        string // real path that it is below
	Dir, Branch string // Dir is the real path
	Base        string // branch that it begins from; empty for none, and where the branch is there
	Commit      string
	Head        string // branch that From has checked out, empty for none
	NoOrigin    bool   // the remote was wanted, and is not there
	Unpushed    int    // commits of the new branch that no remote has: they are in it
	Missing     int    // commits of From that are not in it
	Uncommitted int    // files of From that are in no commit: they are not in it
	Dirty       int    // files of a work tree that is there which are in no commit
	Submodules  int    // which git does not check out in it
	Seed        []string
	Left        []Left // files that are wanted there, and not copied
}

// maxTrees bounds the search for a name that is free.
const maxTrees = 1000

// Prepare makes a plan of what is wanted. It changes nothing.
func Prepare(ctx context.Context, environ []string, q Ask) (Plan, error) {
	g := git{q.Dir, environ}
	top, err := g.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return Plan{}, err
	}
	g.dir = top
	at, err := placeOf(q.Root, g.main(ctx))
	if err != nil {
		return Plan{}, err
	}
	p := Plan{From: top, Root: at.root}
	p.Head, _ = g.run(ctx, "symbolic-ref", "--short", "--quiet", "HEAD") // none is a detached HEAD
	if q.Branch != "" {
		err = p.typed(ctx, g, at, branchOf(q.Branch))
	} else {
		err = p.named(ctx, g, at, q)
	}
	if err == nil {
		err = p.base(ctx, g, q)
	}
	if err == nil {
		err = p.compare(ctx, g)
	}
	if err == nil && p.Kind != OldTree {
		p.Seed, p.Left, err = seeds(ctx, g, q.Seed)
	}
	return p, err
}

// typed plans for a branch that the user has named.
func (p *Plan) typed(ctx context.Context, g git, at place, branch string) error {
	if err := g.checkBranch(ctx, branch); err != nil {
		return err
	}
	dir, err := at.dir(branch)
	if err != nil {
		return err
	}
	p.Branch, p.Dir = branch, dir
	has, err := g.of(ctx, branch)
	switch {
	case err != nil:
		return err
	case has == dir && g.isTree(ctx, dir, branch):
		p.Kind = OldTree
	case has != "":
		return &TakenError{branch, has, free(has)}
	case !empty(dir):
		return &OccupiedError{dir, branch}
	case g.commit(ctx, branchRef(branch)) != "":
		p.Kind = OldBranch
	}
	return nil
}

// named looks for a name that neither a branch nor a directory has.
func (p *Plan) named(ctx context.Context, g git, at place, q Ask) error {
	prefix := wire.WorktreeRoot + "/"
	if g.commit(ctx, branchRef(wire.WorktreeRoot)) != "" {
		prefix = wire.WorktreeRoot + "-" // git has no branch below another one
	}
	for n := 1; n <= maxTrees; n++ {
		try := q.Name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", q.Name, n)
		}
		branch := prefix + try
		taken, there := g.besets(ctx, branch), !free(at.typed(try))
		if taken != there || taken && !q.Again {
			continue
		}
		dir, err := at.dir(try)
		if err != nil {
			return err
		}
		p.Branch, p.Dir = branch, dir
		if !taken {
			return nil
		}
		if g.isTree(ctx, dir, branch) {
			p.Kind = OldTree
			return nil
		}
	}
	return fmt.Errorf("%d work trees named %s are there already", maxTrees, filepath.Base(at.typed(q.Name)))
}

// base finds the commit that the branch begins from, or has.
//
// Source: session-orchestrator, seeds 2.7 create.
func (p *Plan) base(ctx context.Context, g git, q Ask) error {
	if p.Kind != Fresh {
		p.Commit = g.commit(ctx, branchRef(p.Branch))
		return nil
	}
	if q.At != "" {
		if p.Base, p.Commit = q.At, g.commit(ctx, q.At); p.Commit == "" {
			return ErrNoCommit
		}
		return nil
	}
	if q.Base == wire.WorktreeOrigin {
		p.Base, p.Commit = g.origin(ctx)
		if p.Commit != "" {
			return nil
		}
		if q.Strict {
			return ErrNoRemote
		}
		p.NoOrigin = true
	}
	if p.Base, p.Commit = p.Head, g.commit(ctx, "HEAD"); p.Commit == "" {
		return ErrNoCommit
	}
	return nil
}

// origin is the default branch of the remote as it was last fetched, empty where
// it is not known. The remote is the one called origin, else the only one.
func (g git) origin(ctx context.Context) (name, commit string) {
	out, _ := g.run(ctx, "remote")
	remotes, remote := strings.Fields(out), "origin"
	if len(remotes) == 1 {
		remote = remotes[0]
	}
	tracked := "refs/remotes/" + remote + "/"
	if ref, err := g.run(ctx, "symbolic-ref", "--quiet", tracked+"HEAD"); err == nil {
		if commit = g.commit(ctx, ref); commit != "" {
			return strings.TrimPrefix(ref, "refs/remotes/"), commit
		}
	}
	for _, branch := range []string{"main", "master"} { // a repository that was not cloned has no HEAD of the remote
		found := g.commit(ctx, tracked+branch)
		if found != "" && commit != "" {
			return "", "" // both: nobody knows
		}
		if found != "" {
			name, commit = remote+"/"+branch, found
		}
	}
	return name, commit
}

// compare counts what is in the new work tree and what is not.
func (p *Plan) compare(ctx context.Context, g git) error {
	head := g.commit(ctx, "HEAD")
	if remotes, _ := g.run(ctx, "remote"); remotes != "" && p.Commit == head {
		p.Unpushed = g.count(ctx, "rev-list", "--count", p.Commit, "--not", "--remotes")
	}
	if head != "" && p.Commit != head {
		p.Missing = g.count(ctx, "rev-list", "--count", head, "--not", p.Commit)
	}
	modules, _ := g.run(ctx, "config", "--blob", p.Commit+":.gitmodules", "--get-regexp", `\.path$`)
	if modules != "" && p.Kind != OldTree {
		p.Submodules = strings.Count(modules, "\n") + 1
	}
	var err error
	if p.Dir != p.From {
		p.Uncommitted, err = g.uncommitted(ctx)
	}
	if err == nil && p.Kind == OldTree {
		p.Dirty, err = g.in(p.Dir).uncommitted(ctx)
	}
	return err
}
