package rule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatACommandSendsToABranch(t *testing.T) {
	t.Parallel()
	push := func(branch string) []Send { return []Send{{Dir: ".", Branch: branch, With: "git push"}} }
	every := []Send{{Dir: ".", Every: true, With: "git push"}}
	pr := func(verb, branch string) []Send { return []Send{{Dir: ".", Branch: branch, With: "gh pr " + verb}} }
	for command, want := range map[string][]Send{
		"git push":                                    push(""),
		"git push origin":                             push(""),
		"git push -u origin HEAD":                     push(""),
		"git push -f origin fix/x":                    push("fix/x"),
		"git push origin +fix/x":                      push("fix/x"),
		"git push origin refs/heads/fix/x":            push("fix/x"),
		"git push origin heads/fix/x":                 push("fix/x"),
		"git push origin work:fix/x":                  push("fix/x"),
		"git push origin HEAD:refs/heads/fix/x":       push("fix/x"),
		"git push origin :fix/x":                      push("fix/x"),
		"git push origin --delete fix/x":              push("fix/x"),
		"git push -d origin fix/x":                    push("fix/x"),
		"git push -o ci.skip origin fix/x":            push("fix/x"),
		"git push --push-option ci.skip origin a":     push("a"),
		"git push origin -- fix/x":                    push("fix/x"),
		"git push origin a b":                         {{Dir: ".", Branch: "a", With: "git push"}, {Dir: ".", Branch: "b", With: "git push"}},
		"git push --all":                              every,
		"git push --mirror origin":                    every,
		"git push origin :":                           every,
		"git push origin 'refs/heads/*:refs/heads/*'": every,
		"git push origin refs/tags/v1":                nil,
		"git push --dry-run":                          nil,
		"git push -n origin x":                        nil,
		"git push origin \"$BRANCH\"":                 nil,
		"git pull && git status":                      nil,
		"echo git push":                               nil,
		"git commit -m 'git push'":                    nil,
		"git -C sub push":                             {{Dir: "sub", With: "git push"}},
		"git -c a=b push origin x":                    push("x"),
		"gh pr merge":                                 pr("merge", ""),
		"gh pr merge --squash --delete-branch":        pr("merge", ""),
		"gh pr merge -m fix/x":                        pr("merge", "fix/x"),
		"gh pr edit fix/x --title 'a b'":              pr("edit", "fix/x"),
		"gh pr edit --add-label bug":                  pr("edit", ""),
		"gh pr ready":                                 pr("ready", ""),
		"gh pr merge 12":                              nil,
		"gh pr merge '#12'":                           nil,
		"gh pr merge https://github.com/a/b/pull/12":  nil,
		"gh -R a/b pr merge":                          nil,
		"gh pr view":                                  nil,
		"gh issue edit 3":                             nil,

		// Q33: wherever they are.
		"make test && git push":                  push(""),
		"make test; git push origin x":           push("x"),
		"(cd sub && git push)":                   {{Dir: "sub", With: "git push"}},
		"cd sub && git push":                     {{Dir: "sub", With: "git push"}},
		"cd \"$D\" && git push":                  nil,
		"if make; then git push; fi":             push(""),
		"true || git push":                       push(""),
		"git fetch | git push":                   push(""),
		"sh -c 'git push origin x'":              push("x"),
		"env A=b timeout 9 git push":             push(""),
		"A=b git push":                           push(""),
		"/usr/bin/git push":                      push(""),
		"eval git push":                          push(""),
		"echo $(git push origin x)":              push("x"),
		"git push &":                             push(""),
		"f() { git push; }; f":                   push(""),
		"git push origin x && gh pr ready && ls": {{Dir: ".", Branch: "x", With: "git push"}, {Dir: ".", With: "gh pr ready"}},
		"":                                       nil,
		"git":                                    nil,
		"gh":                                     nil,
		"git push (":                             nil,
	} {
		if d := cmp.Diff(want, Sends(command)); d != "" {
			t.Errorf("%s: %s", command, d)
		}
	}
}

func FuzzSendsEndsAndNamesWhatIsInTheText(f *testing.F) {
	for _, s := range []string{"git push origin x", "cd a && gh pr merge", "sh -c 'git push'", "git push origin +:", "gh pr"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range Sends(text) {
			if s.Dir == "" || s.With == "" || s.Every && s.Branch != "" {
				t.Fatalf("%q: %+v", text, s)
			}
		}
	})
}
