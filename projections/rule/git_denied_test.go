package rule_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/rule"
)

func TestWhatARunDoesNotAllowInGit(t *testing.T) {
	t.Parallel()
	const a, b, c = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "cccccccccccccccccccccccccccccccccccccccc"
	type facts = map[rule.GitFact]string
	state := func(more ...facts) rule.GitState {
		g := rule.GitState{
			{Kind: rule.GitHead, Name: "commit"}: a, {Kind: rule.GitHead, Name: "branch"}: "refs/heads/main",
			{Kind: rule.GitRef, Name: "refs/heads/main"}: a, {Kind: rule.GitRef, Name: "refs/heads/dev"}: a,
			{Kind: rule.GitRef, Name: "refs/tags/v1"}: a, {Kind: rule.GitRef, Name: "refs/remotes/origin/main"}: a,
			{Kind: rule.GitStash, Name: c}: "WIP",
		}
		for _, m := range more {
			for f, v := range m {
				if g[f] = v; v == "-" {
					delete(g, f)
				}
			}
		}
		return g
	}
	is := func(kind rule.GitKind, name, value string) facts { return facts{{Kind: kind, Name: name}: value} }
	pushed := func(to string) facts { return is(rule.GitPushed, "refs/remotes/origin/main", a+" "+to) }
	deny, keep := stored.GitRules{Push: events.GitDeny}, stored.GitRules{History: events.GitKeep}
	both := stored.GitRules{Push: events.GitDeny, History: events.GitKeep}
	for name, tt := range map[string]struct {
		rules     stored.GitRules
		seen, now rule.GitState
		want      []string
	}{
		"all is allowed without rules":    {stored.GitRules{}, nil, state(pushed(b), is(rule.GitRef, "refs/tags/v1", "-")), nil},
		"and with those that say so":      {stored.GitRules{Push: events.GitAllow, History: events.GitAny}, nil, state(pushed(b)), nil},
		"a push":                          {deny, nil, state(pushed(b)), []string{"pushed origin/main"}},
		"a push to a folder":              {deny, nil, state(is(rule.GitPushed, "origin refs/heads/x", a+" "+b)), []string{"pushed origin refs/heads/x"}},
		"a fetch is no push":              {deny, nil, state(is(rule.GitRef, "refs/remotes/origin/main", b)), nil},
		"nor is what history loses":       {deny, nil, state(is(rule.GitLost, "refs/heads/main", a+" 1")), nil},
		"a push is no loss":               {keep, nil, state(pushed(b)), nil},
		"lost commits":                    {keep, nil, state(is(rule.GitLost, "refs/heads/main", a+" 1")), []string{"commits-lost main"}},
		"a branch that was moved back":    {keep, nil, state(is(rule.GitRewound, "refs/heads/main", a+" 1")), []string{"branch-rewound main"}},
		"a removed branch":                {keep, nil, state(is(rule.GitRef, "refs/heads/dev", "-")), []string{"branch-removed dev"}},
		"a moved tag":                     {keep, nil, state(is(rule.GitRef, "refs/tags/v1", b)), []string{"tag-moved v1"}},
		"a removed tag":                   {keep, nil, state(is(rule.GitRef, "refs/tags/v1", "-")), []string{"tag-removed v1"}},
		"a dropped stash":                 {keep, nil, state(is(rule.GitStash, c, "-")), []string{"stash-removed WIP"}},
		"new commits are fine":            {both, nil, state(is(rule.GitRef, "refs/heads/main", b), is(rule.GitCommits, "refs/heads/main", "1 "+b)), nil},
		"so are new branches and tags":    {both, nil, state(is(rule.GitRef, "refs/heads/new", b), is(rule.GitRef, "refs/tags/v2", b), is(rule.GitStash, b, "own")), nil},
		"and a remote's branch that went": {both, nil, state(is(rule.GitRef, "refs/remotes/origin/main", "-")), nil},
		"what a person let be counts no more": {
			both, state(pushed(b), is(rule.GitRef, "refs/tags/v1", "-")), state(pushed(b), is(rule.GitRef, "refs/tags/v1", "-")), nil,
		},
		"but the next of it does": {
			both, state(pushed(b)), state(pushed(c), is(rule.GitRef, "refs/heads/dev", "-")), []string{"branch-removed dev", "pushed origin/main"},
		},
	} {
		var got []string
		for _, c := range rule.GitDenied(tt.rules, state(), tt.seen, tt.now) {
			got = append(got, string(c.Kind)+" "+c.Name)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
