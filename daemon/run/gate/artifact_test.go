package gate

import (
	"strings"
	"testing"

	"autopilot/events"
)

func TestArtifactNamesTheFirstReasonAndFindsAll(t *testing.T) {
	t.Parallel()
	a := Artifact{Name: "docs", Role: events.RoleGoal, Globs: []string{"a.md", "docs/**"}}
	good := ArtifactFile{Path: "a.md", Bytes: 3, Sum: "5a"}
	blank := ArtifactFile{Path: "docs/b", Blank: true, Stale: true}
	stale := ArtifactFile{Path: "docs/c", Stale: true}
	for name, c := range map[string]struct {
		files   []ArtifactFile
		verdict events.Verdict
		reason  events.Reason
		named   string
		says    []string
	}{
		"nothing":         {nil, events.Fail, events.ReasonMissing, "a.md\ndocs/**\n", []string{"a.md: there is no such file"}},
		"one of two":      {[]ArtifactFile{good}, events.Fail, events.ReasonMissing, "docs/**\n", []string{"docs/**: there is no such file"}},
		"blank and stale": {[]ArtifactFile{good, blank, stale}, events.Fail, events.ReasonBlank, "docs/b\n", []string{"docs/b: holds white space only", "docs/c: was not written"}},
		"stale":           {[]ArtifactFile{good, stale}, events.Fail, events.ReasonStale, "docs/c\n", nil},
		"all":             {[]ArtifactFile{good, {Path: "docs/d", Sum: "77"}}, events.Pass, events.ReasonWritten, "a.md\ndocs/d\n", []string{"5a  3 bytes  a.md", "77"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, texts := a.Judge(c.files, nil)
			if r.Verdict != c.verdict || r.Reason != c.reason || r.Kind != events.GateArtifact || r.OutputSum == "" || r.Exit != -1 {
				t.Errorf("%+v", r)
			}
			equal(t, "files", texts.Files, c.named)
			for _, want := range c.says {
				if !strings.Contains(texts.Excerpt, want) {
					t.Errorf("the finding lacks %q:\n%s", want, texts.Excerpt)
				}
			}
		})
	}
}

func TestArtifactSaysWhatDoesNotCount(t *testing.T) {
	t.Parallel()
	a := Artifact{Globs: []string{"*.md"}}
	_, texts := a.Judge(nil, []NoArtifact{{"x.md", "a link"}, {"odd\n.md", "a directory"}})
	for _, want := range []string{"x.md does not count, because it is a link", `"odd\n.md" does not count`} {
		if !strings.Contains(texts.Excerpt, want) {
			t.Errorf("%q is not in:\n%s", want, texts.Excerpt)
		}
	}
}

func TestAnotherMissingFileIsAnotherFailure(t *testing.T) {
	t.Parallel()
	a := Artifact{Globs: []string{"a", "b"}}
	one, _ := a.Judge([]ArtifactFile{{Path: "a"}}, nil)
	two, _ := a.Judge([]ArtifactFile{{Path: "b"}}, nil)
	if one.OutputSum == two.OutputSum {
		t.Error("both have the same sum")
	}
}

func TestInMovesTheWorkspaceAndTheHomeOutOfTheEnvironment(t *testing.T) {
	t.Parallel()
	p := Pinned{Workspace: "/home/u/ws", Home: "/state/home/1", Env: []string{
		"CGO_CFLAGS=-I/home/u/ws/include -L/home/u/ws", "GOENV=/state/home/1/.config/go/env", "HOME=/state/home/1",
		"LIST=/home/u/ws:/home/u/ws2:/mnt/home/u/ws:/home/u/ws.old", "PATH=/home/u/ws/bin:/usr/bin", "URL=file:///home/u/ws/x",
	}}
	in := p.In("/state/clean/r/tree/ws", "/state/clean/r/home")
	equal(t, "env", in.Env, []string{
		"CGO_CFLAGS=-I/state/clean/r/tree/ws/include -L/state/clean/r/tree/ws",
		"GIT_CEILING_DIRECTORIES=/state/clean/r/tree",
		"GOENV=/state/clean/r/home/.config/go/env", "HOME=/state/clean/r/home",
		"LIST=/state/clean/r/tree/ws:/home/u/ws2:/mnt/home/u/ws:/home/u/ws.old",
		"PATH=/state/clean/r/tree/ws/bin:/usr/bin", "URL=file:///state/clean/r/tree/ws/x",
	})
	if p.Env[2] != "HOME=/state/home/1" || in.Workspace != "/state/clean/r/tree/ws" {
		t.Errorf("%+v", p)
	}
}

func TestHeadedKeepsTheHead(t *testing.T) {
	t.Parallel()
	got := Headed("It passes in place.\n\n", strings.Repeat("long line of output\n", 2000))
	if len(got) > ExcerptBytes || !strings.HasPrefix(got, "It passes in place.\n\n") || !strings.Contains(got, "bytes left out") {
		t.Errorf("%d bytes:\n%.200s", len(got), got)
	}
}
