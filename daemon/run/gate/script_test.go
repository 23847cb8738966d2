package gate

import (
	"os"
	"path/filepath"
	"testing"

	"autopilot/projections/rule"
)

func TestScriptsThatTheTreeLacksArePinned(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	beside := write(t, filepath.Dir(s.work), "check.sh", "exit 1\n", 0o644)
	node := write(t, filepath.Dir(s.work), "check.js", "x\n", 0o644)
	ignored := s.program(s.work, "local/check", "exit 1")
	sourced := write(t, s.work, "local/lib", "exit 1\n", 0o644)
	built := write(t, s.work, "dist/cli.js", "#!/usr/bin/env node\n", 0o755)
	tool := s.program(s.home, "tool", "exit 1")
	p := s.pin("true", tool)
	err := p.PinScripts([]rule.Script{
		{Path: "../check.sh", Shell: true},
		{Path: node},
		{Path: "local/check"},
		{Path: "local/check"},
		{Path: "local/lib", Shell: true},
		{Path: "dist/cli.js"},
		{Path: tool},
	})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range p.Scripts {
		paths = append(paths, f.Path)
	}
	equal(t, "pinned", paths, []string{beside, node, ignored, sourced})
	equal(t, "unchanged", s.check(p), []ToolChange(nil))

	s.program(s.work, "local/check", "exit 0")
	write(t, s.work, "dist/cli.js", "built anew\n", 0o755)
	if err := os.Remove(beside); err != nil {
		t.Fatal(err)
	}
	changes := s.check(p)
	equal(t, "changed", changes, []ToolChange{{Was: beside, Script: true}, {Was: ignored, Script: true}})
	equal(t, "text", changes[1].String(), ignored+" changed: it is a script that a gate runs")
	equal(t, "built is a file", p.IsFile("dist/cli.js"), built != "")
	equal(t, "a folder is not a file", p.IsFile("dist"), false)
}
