package tree

import (
	"cmp"
	"context"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"autopilot/projections/rule"
)

// Bounds of what is said of commits.
const (
	mostMoved = 20  // branches whose commits are counted
	mostShown = 5   // commits of a branch
	mostNew   = 500 // commits that are counted of a branch
)

// GitMoved adds to a state what became of commits since the start: new ones by
// branch, those of the start that no ref holds any more, those that only a detached
// HEAD holds, and what was pushed. Where the directory is another one, and has not the
// commit at which the run began, it is a DamageError: git may drop a commit that
// nothing holds from a repository, and a backup is the same one elsewhere.
func (r *Repo) GitMoved(ctx context.Context, start, now rule.GitState) error {
	gd, err := r.standing()
	if err != nil {
		return err
	}
	m := moving{r: r, gd: gd, start: start, now: now}
	m.pushed()
	if err := m.pushedFar(ctx); err != nil {
		return err
	}
	then, is := tips(start), tips(now)
	if maps.Equal(then, is) {
		return nil
	}
	if start.Commit() != "" && !samePlace(start, now) && !gd.loose(start.Commit()) {
		if there, err := m.there(ctx, start.Commit()); err == nil && !there {
			return &DamageError{"another repository is in the place of the one that the run began in: it has not the commit " + short(start.Commit())}
		}
	}
	if len(then) > 0 && len(is) == 0 {
		return &DamageError{"all its refs are gone: no branch and no tag is left"}
	}
	for _, step := range []func(context.Context, map[string]string, map[string]string) error{m.added, m.lost, m.rewound, m.floating} {
		if err := step(ctx, then, is); err != nil {
			return err
		}
	}
	return nil
}

func samePlace(a, b rule.GitState) bool {
	place := a[rule.GitFact{Kind: rule.GitPlace}]
	return place != "" && place == b[rule.GitFact{Kind: rule.GitPlace}]
}

// tips are the branches and tags of a state, and HEAD, with their objects. Branches of
// remotes are not among them: those are no work of this repository.
func tips(g rule.GitState) map[string]string {
	out := g.Refs("refs/heads/")
	maps.Copy(out, g.Refs("refs/tags/"))
	if c := g.Commit(); c != "" {
		out["HEAD"] = c
	}
	maps.DeleteFunc(out, func(_, id string) bool { return !idOK(id) })
	return out
}

// holders are all that keep a commit from being lost.
func holders(g rule.GitState) []string {
	var out []string
	for _, id := range g.Refs("refs/") {
		if idOK(id) {
			out = append(out, id)
		}
	}
	out = append(out, g.Of(rule.GitStash)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// moving is one comparison.
type moving struct {
	r          *Repo
	gd         gitDir
	start, now rule.GitState
}

// added counts the commits of each branch that nothing of the start had.
func (m moving) added(ctx context.Context, then, is map[string]string) error {
	old := append(holders(m.start), slices.Sorted(maps.Values(then))...)
	n := 0
	for _, ref := range slices.Sorted(maps.Keys(is)) {
		if then[ref] == is[ref] || !strings.HasPrefix(ref, "refs/heads/") || n == mostMoved {
			continue
		}
		n++
		ids, err := m.list(ctx, is[ref], old, mostNew)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			m.set(rule.GitCommits, ref, append([]string{strconv.Itoa(len(ids))}, ids[:min(len(ids), mostShown)]...)...)
		}
	}
	return nil
}

// lost finds the commits of the start that nothing holds now.
func (m moving) lost(ctx context.Context, then, is map[string]string) error {
	held := append(holders(m.now), slices.Sorted(maps.Values(is))...)
	for _, ref := range slices.Sorted(maps.Keys(then)) {
		if then[ref] == is[ref] || slices.Contains(held, then[ref]) || strings.HasPrefix(ref, "refs/tags/") || ref == "HEAD" && m.start.Branch() != "" {
			continue
		}
		ids, err := m.list(ctx, then[ref], held, mostNew)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			m.set(rule.GitLost, ref, then[ref], strconv.Itoa(len(ids)))
		}
	}
	return nil
}

// rewound finds the branches of the start that have not all of their commits any more,
// where something else holds these.
func (m moving) rewound(ctx context.Context, then, is map[string]string) error {
	n := 0
	for _, ref := range slices.Sorted(maps.Keys(then)) {
		_, lost := m.now[rule.GitFact{Kind: rule.GitLost, Name: ref}]
		if is[ref] == "" || then[ref] == is[ref] || lost || !strings.HasPrefix(ref, "refs/heads/") || n == mostMoved {
			continue
		}
		n++
		ids, err := m.list(ctx, then[ref], []string{is[ref]}, mostNew)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			m.set(rule.GitRewound, ref, then[ref], strconv.Itoa(len(ids)))
		}
	}
	return nil
}

// floating counts the commits that a detached HEAD alone holds.
func (m moving) floating(ctx context.Context, _, is map[string]string) error {
	if m.now.Branch() != "" || is["HEAD"] == "" {
		return nil
	}
	ids, err := m.list(ctx, is["HEAD"], holders(m.now), mostNew)
	if err == nil && len(ids) > 0 {
		m.set(rule.GitLoose, "HEAD", is["HEAD"], strconv.Itoa(len(ids)))
	}
	return err
}

// list lists commits that lead to one and to none of others, the newest first.
func (m moving) list(ctx context.Context, id string, but []string, most int) ([]string, error) {
	var in strings.Builder
	in.WriteString(id + "\n")
	for _, other := range but {
		in.WriteString("^" + other + "\n")
	}
	out, err := m.r.run(ctx, call{
		args: []string{"rev-list", "--ignore-missing", "--max-count=" + strconv.Itoa(most), "--stdin"}, stdin: strings.NewReader(in.String()), objects: m.gd.objects(),
	})
	if err != nil {
		return nil, theirs(ctx, err)
	}
	return strings.Fields(string(out)), nil
}

// there says whether the repository itself has an object.
func (m moving) there(ctx context.Context, id string) (bool, error) {
	cmd := exec.CommandContext(ctx, m.r.git, "cat-file", "-e", id)
	cmd.Env = append(m.r.env(call{}), "GIT_OBJECT_DIRECTORY="+m.gd.objects())
	cmd.Dir = m.r.dir
	err := cmd.Run()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil, nil
}

// loose says whether an object is a file of its own.
func (gd gitDir) loose(id string) bool { return filled(filepath.Join(gd.objects(), id[:2], id[2:])) }

// pushed finds the branches of remotes that a push has moved, by their reflogs, and
// those of remotes that are directories.
func (m moving) pushed() {
	n := 0
	for ref, id := range m.now.Refs("refs/remotes/") {
		was := m.start[rule.GitFact{Kind: rule.GitRef, Name: ref}]
		if was == id || !idOK(id) || n == mostMoved {
			continue
		}
		n++
		if m.gd.pushedSince(ref, was) {
			m.set(rule.GitPushed, ref, cmp.Or(was, strings.Repeat("0", len(id))), id)
		}
	}
}

// pushedFar finds what was pushed to remotes that are directories without a trace
// here: a ref there is at a commit that came since the start and is in this
// repository, and no fetch brought it.
func (m moving) pushedFar(ctx context.Context) error {
	n := 0
	for fact, id := range m.now {
		was := m.start[fact]
		if fact.Kind != rule.GitFar || was == id || !idOK(id) || n == mostMoved {
			continue
		}
		remote, ref, _ := strings.Cut(fact.Name, " ")
		branch, ok := strings.CutPrefix(ref, "refs/heads/")
		if ok && m.now[rule.GitFact{Kind: rule.GitRef, Name: "refs/remotes/" + remote + "/" + branch}] == id || m.gd.fetched(id) {
			continue
		}
		n++
		there, err := m.there(ctx, id)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		ids, err := m.list(ctx, id, append(holders(m.start), m.start.Commit()), 1)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			m.set(rule.GitPushed, fact.Name, cmp.Or(was, strings.Repeat("0", len(id))), id)
		}
	}
	return nil
}

// fetched says whether the latest fetch brought an object.
func (gd gitDir) fetched(id string) bool {
	text, err := readRegular(filepath.Join(gd.dir, "FETCH_HEAD"), 4<<20)
	return err == nil && strings.Contains(string(text), id)
}

// pushedSince says whether a push has moved a branch of a remote since it was at an
// object.
func (gd gitDir) pushedSince(ref, was string) bool {
	text, err := readRegular(filepath.Join(gd.common, "logs", filepath.FromSlash(ref)), 16<<20)
	if err != nil {
		return false
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		meta, what, _ := strings.Cut(lines[i], "\t")
		if strings.HasPrefix(what, "update by push") {
			return true
		}
		if from, _, _ := strings.Cut(meta, " "); was != "" && from == was {
			return false
		}
	}
	return false
}

func (m moving) set(kind rule.GitKind, name string, words ...string) {
	m.now[rule.GitFact{Kind: kind, Name: name}] = strings.Join(words, " ")
}
