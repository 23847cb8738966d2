package rule

import (
	"strings"
	"testing"
)

// wrote and gone are touches, for short.
func wrote(paths ...string) []Touch { return touches(false, paths) }
func gone(paths ...string) []Touch  { return touches(true, paths) }

func touches(gone bool, paths []string) []Touch {
	var out []Touch
	for _, p := range paths {
		out = append(out, Touch{p, gone})
	}
	return out
}

// Source: session-orchestrator, seeds 3.10: its guard looked at the start of a
// command only, and compound ones escaped it.
func TestACommandTouchesWhatItWritesToOrTakesAway(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Touch{
		"cat a_test.go":                                nil,
		"go test ./... 2>&1 | head":                    nil,
		"echo x > a_test.go":                           wrote("a_test.go"),
		"echo x >>a_test.go 2>/dev/null":               wrote("a_test.go", "/dev/null"),
		"make &> out.txt":                              wrote("out.txt"),
		"echo x >| 'a b.go'":                           wrote("a b.go"),
		"true && echo x > a.go":                        wrote("a.go"),
		"if true; then rm -f a.go; fi":                 gone("a.go"),
		"for i in 1 2; do echo $i; done > t.go":        wrote("t.go"),
		"f() { rm a.go; }; f":                          gone("a.go"),
		"(cd sub; rm a.go); rm b.go":                   gone("sub/a.go", "b.go"),
		"cd sub && rm a.go ../b.go /c.go ~/d.go":       gone("sub/a.go", "b.go", "/c.go", "~/d.go"),
		"cd \"$X\" && rm a.go":                         nil,
		"cd \"$X\"; rm /a.go":                          gone("/a.go"),
		"rm -rf -- -x tests":                           gone("-x", "tests"),
		"rm tests/*_test.go":                           gone("tests/*_test.go"),
		"unlink a; rmdir b; shred -n 3 -u c":           gone("a", "b", "c"),
		"mv a.go b.go":                                 append(gone("a.go"), wrote("b.go", "b.go/a.go")...),
		"mv -t old a.go":                               append(gone("a.go"), wrote("old", "old/a.go")...),
		"cp -r new/a.go tests":                         wrote("tests", "tests/a.go"),
		"ln -sf /tmp/x a_test.go":                      wrote("a_test.go", "a_test.go/x"),
		"echo x | tee -a a.go b.go":                    wrote("a.go", "b.go"),
		"truncate -s 0 a.go":                           wrote("a.go"),
		"dd if=/dev/zero of=a.go bs=1":                 wrote("a.go"),
		"sed -i 's/a/b/' a_test.go":                    wrote("a_test.go"),
		"sed -i.bak -e 's/a/b/' a_test.go":             wrote("a_test.go"),
		"sed -Ei 's/a/b/' a_test.go":                   wrote("a_test.go"),
		"sed --in-place=.x 's/a/b/' a_test.go":         wrote("a_test.go"),
		"sed -n 's/a/b/p' a_test.go":                   nil,
		"perl -pi -e 's/a/b/' a_test.go":               wrote("a_test.go"),
		"perl -pe 's/a/b/' a_test.go":                  nil,
		"patch a_test.go < x.diff":                     wrote("a_test.go"),
		"chmod -x run.sh":                              gone("run.sh"),
		"git checkout HEAD~1 -- a_test.go":             gone("a_test.go"),
		"git checkout -q a_test.go":                    gone("a_test.go"),
		"git -C sub restore -s HEAD~1 a_test.go":       gone("sub/a_test.go"),
		"git restore --staged a_test.go":               nil,
		"git restore --staged --worktree a_test.go":    gone("a_test.go"),
		"git rm -r tests":                              gone("tests"),
		"git rm --cached a_test.go":                    nil,
		"git mv a_test.go b_test.go":                   append(gone("a_test.go"), wrote("b_test.go", "b_test.go/a_test.go")...),
		"git commit -am x && git push":                 nil,
		"sh -c 'echo x > a.go'":                        wrote("a.go"),
		"bash -lc \"cd sub && rm a.go\"; rm b.go":      gone("sub/a.go", "b.go"),
		"env A=1 timeout 5 rm a.go":                    gone("a.go"),
		"sudo rm a.go":                                 gone("a.go"),
		"eval 'rm a.go'":                               gone("a.go"),
		"x=$(rm a.go)":                                 gone("a.go"),
		"diff <(rm a.go) b":                            gone("a.go"),
		"cat > a.go <<'X'\nrm b.go\nX":                 wrote("a.go"),
		"rm a.go\nif":                                  gone("a.go"),
		"echo 'rm a.go'":                               nil,
		"command rm a.go; \\rm b.go; /bin/rm c.go":     gone("a.go", "b.go", "c.go"),
		"pushd sub >/dev/null; rm a.go; popd; rm b.go": append(wrote("/dev/null"), gone("sub/a.go")...),
		"": nil,
	} {
		equal(t, text, Touches(text), want)
	}
}

func TestACommandThatNamesItselfForEverEnds(t *testing.T) {
	t.Parallel()
	text := "rm a.go"
	for range 40 {
		text = "sh -c '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		if len(text) > 1<<16 {
			break
		}
	}
	Touches(text)
	Touches(strings.Repeat("(", 10_000))
	Touches(strings.Repeat("sh -c ", 10_000))
}

func FuzzTouches(f *testing.F) {
	f.Add("cd sub && git -C x checkout -- a > b; (mv -t d a | tee c)")
	f.Fuzz(func(_ *testing.T, text string) {
		for _, touch := range Touches(text) {
			if touch.Path == "" {
				panic("a touch of nothing")
			}
		}
	})
}
