package rule

import (
	"slices"
	"testing"
)

func TestGateScriptsAreThoseThatTheTreeLacks(t *testing.T) {
	t.Parallel()
	src := source(map[string]string{"check.sh": "", "sub/run.sh": ""})
	src.OnDisk = func(name string) bool {
		return slices.Contains([]string{
			"check.sh", "sub/run.sh", "local/check.sh", "../check.sh", "/opt/check.sh", "~/check.sh", "../beside/run.sh", "dist/cli.js", "data.txt",
		}, name)
	}
	for text, want := range map[string][]Script{
		"./check.sh":                    nil,
		"cd sub && sh run.sh":           nil,
		"./local/check.sh data.txt":     {{"local/check.sh", false}},
		"sh -e local/check.sh data.txt": {{"local/check.sh", true}},
		". local/check.sh":              {{"local/check.sh", true}},
		"sh ../check.sh":                {{"../check.sh", true}},
		"bash /opt/check.sh":            {{"/opt/check.sh", true}},
		"/opt/check.sh":                 {{"/opt/check.sh", false}},
		"sh ~/check.sh":                 {{"~/check.sh", true}},
		"cd ../beside; ./run.sh":        {{"../beside/run.sh", false}},
		"node dist/cli.js":              {{"dist/cli.js", false}},
		"timeout 9 sh ../check.sh":      {{"../check.sh", true}},
		"grep -q x data.txt":            nil,
		"sh nosuch.sh":                  nil,
		`cd "$X" && sh "$Y"`:            nil,
		"":                              nil,
	} {
		_, got := Follow([]Command{{Text: text}}, src)
		equal(t, text, got, want)
	}
}

func TestAMakefileThatGoesFirstIsAViolation(t *testing.T) {
	t.Parallel()
	tree := []string{"Makefile", "sub/GNUmakefile", "Taskfile.yml"}
	pins := func(text string) Pins {
		files := map[string]string{}
		for _, name := range tree {
			files[name] = ""
		}
		return gatePins([]Command{{Text: text}}, files)
	}
	for text, want := range map[string][]string{
		"make test":           {"GNUmakefile", "makefile"},
		"make -C sub test":    {"sub/Makefile", "sub/makefile"},
		"make -f Makefile":    nil,
		"make -f x.mk -f y":   nil,
		"task test":           {"Taskfile.dist.yaml", "Taskfile.dist.yml", "Taskfile.yaml", "taskfile.yaml", "taskfile.yml"},
		"just test":           nil, // none exists yet: it may have to be made
		"go test ./... ; tap": nil,
	} {
		equal(t, text, pins(text).Absent, want)
	}
	p := pins("make test")
	added := []Change{{Path: "GNUmakefile", Kind: Added}, {Path: "sub/makefile", Kind: Added}}
	equal(t, "added", Violations(added, p), []string{"GNUmakefile"})
	equal(t, "renamed", Violations([]Change{{Path: "makefile", From: "x", Kind: Renamed}}, p), []string{"makefile"})
	p.Allow = []string{"GNUmakefile"}
	equal(t, "allowed", Violations(added, p), []string(nil))
	equal(t, "joined", Pins{}.With(p).Absent, p.Absent)
}
