package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/projections/rule"
)

func TestPinFindsTheToolsThatCommandsName(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.program(s.sbin, "check", "exit 0")
	s.program(s.sbin, "target", "exit 0")
	if err := os.Symlink(filepath.Join(s.sbin, "target"), filepath.Join(s.bin, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, s.bin, "check", "not a program", 0o644)
	abs := s.program(s.home, "abs", "exit 0")
	own := s.program(s.work, "own", "exit 0")
	p := s.pin("cd x && check; link", "nosuch", "./bin/app", abs, own, "f() { check; }; f")

	got := map[string][2]string{}
	for _, tool := range p.Tools {
		got[tool.Word] = [2]string{tool.Path, tool.Real}
		if (tool.Path == "") != (tool.Sum == "") {
			t.Errorf("%s: path %q, sum %q", tool.Word, tool.Path, tool.Sum)
		}
	}
	check, target := filepath.Join(s.sbin, "check"), filepath.Join(s.sbin, "target")
	equal(t, "tools", got, map[string][2]string{
		"check":  {check, check},
		"link":   {filepath.Join(s.bin, "link"), target},
		"nosuch": {},
		abs:      {abs, abs},
	})
	equal(t, "path", p.Path(), []string{s.bin, s.sbin})
	equal(t, "unchanged", s.check(p), []ToolChange(nil))
}

func TestAProgramThatComesLaterIsNoChangeButKnown(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.program(s.sbin, "check", "exit 0")
	p := s.pin("check && for t in x; do late $t; done; later")
	equal(t, "at the start", p.Came(), []string(nil))
	late := s.program(s.bin, "late", "exit 0")
	equal(t, "later", p.Came(), []string{"late=" + late})
	equal(t, "changes", s.check(p), []ToolChange(nil))
}

func TestFR65AnotherProgramInTheToolsPlaceIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		act  func(s *stage)
		want func(s *stage) []ToolChange
	}{
		"nothing": {func(*stage) {}, func(*stage) []ToolChange { return nil }},
		"a wrapper first in PATH": {
			func(s *stage) { s.program(s.bin, "check", "exit 0 # all green") },
			func(s *stage) []ToolChange {
				return []ToolChange{{Word: "check", Was: s.sbin + "/check", Is: s.bin + "/check"}}
			},
		},
		"other contents": {
			func(s *stage) { s.program(s.sbin, "check", "exit 0") },
			func(s *stage) []ToolChange {
				return []ToolChange{{Word: "check", Was: s.sbin + "/check", Is: s.sbin + "/check"}}
			},
		},
		"other contents of the same size with the old times": {
			func(s *stage) {
				path := filepath.Join(s.sbin, "check")
				info, err := os.Stat(path)
				if err != nil {
					s.t.Fatal(err)
				}
				s.program(s.sbin, "check", "exit 0")
				if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
					s.t.Fatal(err)
				}
			},
			func(s *stage) []ToolChange {
				return []ToolChange{{Word: "check", Was: s.sbin + "/check", Is: s.sbin + "/check"}}
			},
		},
		"gone": {
			func(s *stage) { remove(s.t, filepath.Join(s.sbin, "check")) },
			func(s *stage) []ToolChange { return []ToolChange{{Word: "check", Was: s.sbin + "/check"}} },
		},
		"touched": {
			func(s *stage) {
				now := time.Unix(1, 0)
				if err := os.Chtimes(filepath.Join(s.sbin, "check"), now, now); err != nil {
					s.t.Fatal(err)
				}
			},
			func(*stage) []ToolChange { return nil },
		},
		"a shadow of an inner tool": {
			func(s *stage) { s.program(s.bin, "inner", "exit 0") },
			func(s *stage) []ToolChange {
				return []ToolChange{{Word: "inner", Was: s.sbin + "/inner", Is: s.bin + "/inner"}}
			},
		},
		"a shadow in a directory with its old times": {
			func(s *stage) {
				s.program(s.bin, "inner", "exit 0")
				old := time.Unix(1, 0)
				if err := os.Chtimes(s.bin, old, old); err != nil {
					s.t.Fatal(err)
				}
			},
			func(s *stage) []ToolChange {
				return []ToolChange{{Word: "inner", Was: s.sbin + "/inner", Is: s.bin + "/inner"}}
			},
		},
		"a shadow in a directory that was not there": {
			func(s *stage) { s.program(s.home+"/late", "inner", "exit 0") },
			func(s *stage) []ToolChange {
				return []ToolChange{{Word: "inner", Was: s.sbin + "/inner", Is: s.home + "/late/inner"}}
			},
		},
		"a new program of a new name":   {func(s *stage) { s.program(s.bin, "fresh", "exit 0") }, func(*stage) []ToolChange { return nil }},
		"a new file that is no program": {func(s *stage) { write(s.t, s.bin, "inner", "text", 0o644) }, func(*stage) []ToolChange { return nil }},
		"a new program behind the tool": {func(s *stage) { s.program(s.home+"/last", "inner", "exit 0") }, func(*stage) []ToolChange { return nil }},
		"an inner shadow in a venv of the workspace": {
			func(s *stage) { s.program(s.work+"/venv/bin", "inner", "exit 0") },
			func(*stage) []ToolChange { return nil },
		},
		"the tool itself in a venv of the workspace": {
			func(s *stage) { s.program(s.work+"/venv/bin", "check", "exit 0") },
			func(s *stage) []ToolChange {
				return []ToolChange{{Word: "check", Was: s.sbin + "/check", Is: s.work + "/venv/bin/check"}}
			},
		},
		"a tool that was missing": {func(s *stage) { s.program(s.bin, "nosuch", "exit 0") }, func(*stage) []ToolChange { return nil }},
		"a wrapper in cargo's configuration": {
			func(s *stage) {
				write(s.t, s.home, ".cargo/config.toml", "[build]\nrustc-wrapper = \"/bin/true\"\n", 0o644)
			},
			func(s *stage) []ToolChange { return []ToolChange{{Was: s.home + "/.cargo/config.toml", Config: true}} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.program(s.sbin, "check", "exit 1")
			s.program(s.sbin, "inner", "exit 1")
			mkdir(t, s.work+"/venv/bin")
			mkdir(t, s.home+"/last")
			mkdir(t, s.home+"/.cargo")
			r := s.request("check && true || nosuch")
			r.ClientEnv = append(r.ClientEnv, "PATH="+strings.Join([]string{s.work + "/venv/bin", s.home + "/late", s.bin, s.sbin, s.home + "/last"}, ":"))
			p := s.pinAs(r)
			c.act(s)
			equal(t, "changes", s.check(p), c.want(s))
			equal(t, "the same again", s.check(p), c.want(s))
		})
	}
}

func TestToolsChangedNamesBothPaths(t *testing.T) {
	t.Parallel()
	r, texts := ToolsChanged(Command{Name: "test", Role: events.RoleGoal}, []ToolChange{
		{Word: "go", Was: "/usr/bin/go", Is: "/home/me/bin/go"},
		{Word: "jq", Was: "/usr/bin/jq"},
		{Word: "cc", Was: "/usr/bin/cc", Is: "/usr/bin/cc"},
		{Was: "/home/me/.cargo/config.toml", Config: true},
	})
	equal(t, "result", [2]any{r.Verdict, r.Reason}, [2]any{events.Fail, events.ReasonToolChanged})
	equal(t, "files", texts.Files, "/home/me/bin/go\n/usr/bin/jq\n/usr/bin/cc\n/home/me/.cargo/config.toml\n")
	for _, want := range []string{"go is now /home/me/bin/go: at the start of the run it was /usr/bin/go", "jq is gone", "cc changed", "config.toml changed"} {
		if !strings.Contains(texts.Excerpt, want) {
			t.Errorf("%q is not in:\n%s", want, texts.Excerpt)
		}
	}
}

func TestUnverifiableIsOnlyWhatCannotBeRunAtAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cmd  rule.Command
		dir  string
		want events.Reason
	}{
		"found":                        {rule.Command{Text: "check"}, "", ""},
		"not found":                    {rule.Command{Text: "nosuch --x"}, "", events.ReasonNotFound},
		"not found, behind variables":  {rule.Command{Text: "A=1 nosuch"}, "", events.ReasonNotFound},
		"argv not found":               {rule.Command{Argv: []string{"nosuch"}}, "", events.ReasonNotFound},
		"absolute, missing":            {rule.Command{Text: "/nonexistent/tool"}, "", events.ReasonNotFound},
		"below HOME, which is another": {rule.Command{Text: "~/bin/own"}, "", events.ReasonNotFound},
		"a later word is not found":    {rule.Command{Text: "check && nosuch"}, "", ""},
		"builtin first":                {rule.Command{Text: "cd x && nosuch"}, "", ""},
		"built by the agent":           {rule.Command{Text: "./bin/app --selftest"}, "", ""},
		"unparsable":                   {rule.Command{Text: "((("}, "", ""},
		"its directory is missing":     {rule.Command{Text: "check"}, "gone", events.ReasonNoDirectory},
		"its directory in the project": {rule.Command{Text: "check"}, "sub", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.program(s.bin, "check", "exit 0")
			s.program(s.home+"/bin", "own", "exit 0")
			mkdir(t, filepath.Join(s.work, "sub"))
			r := s.request()
			r.Commands = []rule.Command{c.cmd}
			p := s.pinAs(r)
			result, texts, unverifiable := p.Unverifiable(Command{Name: "g", Role: events.RoleGoal, Run: c.cmd, Dir: c.dir})
			equal(t, "unverifiable", unverifiable, c.want != "")
			equal(t, "reason", result.Reason, c.want)
			if unverifiable {
				equal(t, "verdict", result.Verdict, events.Unverifiable)
			}
			if c.want == events.ReasonNotFound && !strings.Contains(texts.Excerpt, s.sbin) && !strings.Contains(texts.Excerpt, "HOME of their own") {
				t.Errorf("which PATH is not said: %s", texts.Excerpt)
			}
		})
	}
}

func TestToolThatDisappearsIsAFailAndNotUnverifiable(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	path := s.program(s.bin, "check", "exit 0")
	p := s.pin("check")
	remove(t, path)
	_, _, unverifiable := p.Unverifiable(Command{Run: rule.Command{Text: "check"}})
	equal(t, "unverifiable", unverifiable, false)
	equal(t, "changes", len(s.check(p)), 1)
}

func TestLaunchAndStamp(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	path := s.program(s.bin, "check", "exit 0")
	p := s.pin("check")
	with := Place{Home: p.Home, Cache: p.Cache}
	equal(t, "text", p.Launch(Command{Run: rule.Command{Text: "check -x"}}), Launch{Argv: []string{"/bin/sh", "-c", "check -x"}, Dir: s.work, Env: p.Env, With: with})
	equal(t, "argv", p.Launch(Command{Name: "t", Run: rule.Command{Argv: []string{"check", "a b"}}, Dir: "sub"}),
		Launch{Gate: "t", Argv: []string{path, "a b"}, Dir: s.work + "/sub", Env: p.Env, With: with})

	var r, other events.GateResult
	p.Stamp(&r, Command{Run: rule.Command{Text: "check"}}, "e1")
	p.Stamp(&other, Command{Run: rule.Command{Text: "check -x"}}, "e2")
	equal(t, "tool", r.Tool, p.Tools[0].Sum)
	equal(t, "environment", r.Env, other.Env)
	if r.Argv == other.Argv || r.Effect != "e1" || len(r.Env) != 64 {
		t.Errorf("evidence is %+v", r)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
