package rule

import (
	"slices"
	"testing"
	"time"
)

func TestWhatSomebodyElseHasChangedIsNamed(t *testing.T) {
	t.Parallel()
	taken := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	edit := func(path string, after time.Duration) Moved { return Moved{path, true, true, taken.Add(after)} }
	added := func(path string, after time.Duration) Moved { return Moved{path, false, true, taken.Add(after)} }
	for name, tt := range map[string]struct {
		moved []Moved
		want  []string
	}{
		"nothing":                              {},
		"an edit, an hour later":               {[]Moved{edit("main.go", time.Hour)}, []string{"main.go"}},
		"a stash that brings files back":       {[]Moved{edit("a.go", time.Hour), added("new/b.go", time.Hour)}, []string{"a.go", "new/b.go"}},
		"new files alone":                      {[]Moved{added("b.go", time.Hour), added("dist/app.js", time.Hour)}, nil},
		"a formatter that is a little late":    {[]Moved{edit("main.go", 3*time.Second)}, nil},
		"exactly as late as an echo":           {[]Moved{edit("main.go", LateWrites)}, nil},
		"a moment later than an echo":          {[]Moved{edit("main.go", LateWrites+1)}, []string{"main.go"}},
		"a change from before, seen late":      {[]Moved{edit("main.go", -time.Hour)}, nil},
		"an edit and a late write":             {[]Moved{edit("a.go", time.Hour), edit("b.go", time.Second)}, []string{"a.go"}},
		"a large file, or another repository":  {[]Moved{{"data.bin", true, false, taken.Add(time.Hour)}}, nil},
		"beside an edit those are named too":   {[]Moved{edit("a.go", time.Hour), {"data.bin", true, false, taken.Add(time.Hour)}}, []string{"a.go", "data.bin"}},
		"what an editor leaves":                {[]Moved{edit(".main.go.swp", time.Hour), edit("main.go~", time.Hour), edit("#main.go#", time.Hour), edit("4913", time.Hour)}, nil},
		"what an editor keeps of a project":    {[]Moved{edit(".idea/workspace.xml", time.Hour), edit("sub/.vscode/settings.json", time.Hour)}, nil},
		"the settings of runs":                 {[]Moved{edit(".autopilot/config.yaml", time.Hour)}, nil},
		"the log and the database of a server": {[]Moved{edit("server.log", time.Hour), edit("dev.sqlite-wal", time.Hour), edit("tmp/server.pid", time.Hour)}, nil},
		"a lock file beside an edit":           {[]Moved{edit("Cargo.lock", time.Hour), edit("src/main.rs", time.Hour)}, []string{"src/main.rs"}},
	} {
		if got := Foreign(tt.moved, taken, LateWrites); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestAHeadIsMovedWhereItsHistoryDoesNotLeadOn(t *testing.T) {
	t.Parallel()
	const main, other = "refs/heads/main", "refs/heads/other"
	for name, tt := range map[string]struct {
		was, is HeadSeen
		leads   bool
		want    bool
	}{
		"the same":                          {HeadSeen{"a", main}, HeadSeen{"a", main}, false, false},
		"another branch":                    {HeadSeen{"a", main}, HeadSeen{"b", other}, true, true},
		"another branch at the same commit": {HeadSeen{"a", main}, HeadSeen{"a", other}, true, true},
		"off its branch":                    {HeadSeen{"a", main}, HeadSeen{"a", ""}, true, true},
		"a commit on top":                   {HeadSeen{"a", main}, HeadSeen{"b", main}, true, false},
		"a reset, a rebase, an amend":       {HeadSeen{"a", main}, HeadSeen{"b", main}, false, true},
		"the first commit":                  {HeadSeen{"", main}, HeadSeen{"a", main}, false, false},
		"no commit any more":                {HeadSeen{"a", main}, HeadSeen{"", main}, true, true},
		"what it was is not known":          {HeadSeen{}, HeadSeen{"a", main}, false, false},
		"what it is is not known":           {HeadSeen{"a", main}, HeadSeen{}, false, false},
	} {
		if got := HeadMoved(tt.was, tt.is, func() bool { return tt.leads }); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestWhatGitChangesWithoutNamingItIsSeen(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"git switch main":                         {"."},
		"cd sub && git stash":                     {"sub"},
		"git stash pop; git -C ../other pull":     {".", "../other"},
		"sh -c 'git reset --hard HEAD~1'":         {"."},
		"git stash list; git stash show -p":       nil,
		"git reset --soft HEAD~1; git reset a.go": nil,
		"git clean -n":                            nil,
		"git apply --check x.patch":               nil,
		"git status && git log && git fetch":      nil,
		"echo git switch main":                    nil,
	} {
		if got := Rewrites(command); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
