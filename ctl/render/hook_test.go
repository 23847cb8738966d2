package render

import (
	"testing"

	"autopilot/events/wire"
)

func TestHooks(t *testing.T) {
	t.Parallel()
	events := []string{"SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"}
	diff := "diff a b\n--- a\n+++ b\n@@ -1 +1 @@\n-{}\n+{\"hooks\": {" + steering + "}}\n"
	whole := wire.HookFile{Host: "claude", Scope: "user", File: "/home/u/.claude/settings.json", State: wire.HooksInstalled, Events: events, Calls: []string{"/bin/apctl"}}
	partly := wire.HookFile{
		Host: "claude", Scope: "project", File: "/p/.claude/settings.local.json" + steering, State: wire.HooksPartly, Events: events[:1], Missing: events[1:],
		Calls: []string{"/bin/apctl", "/gone/apctl" + steering}, Gone: []string{"/gone/apctl" + steering}, Diff: diff,
	}
	broken := wire.HookFile{Host: "gemini", Scope: "user", File: "/home/u/.gemini/settings.json", State: wire.HooksUnreadable, Problem: "line 2, column 3: it is not valid JSON" + steering}
	none := wire.HookFile{Host: "codex", Scope: "user", File: "/home/u/.codex/hooks.json", State: wire.HooksNone, Missing: events, Diff: diff}
	written := whole
	written.Changed, written.Diff = true, diff
	taken := none
	taken.Changed = true
	absent := none
	absent.Diff = ""
	for name, s := range styles {
		golden(t, "hooks."+name, s.Hooks(wire.HooksView{Files: []wire.HookFile{whole, partly, none, broken}}, false)+"\n"+
			s.Hooks(wire.HooksView{Files: []wire.HookFile{none, partly}}, true)+"\n"+
			s.HookEdited(written, "a chat that is open already uses them once it is started anew", false)+"\n"+
			s.HookEdited(none, "", true)+"\n"+s.HookEdited(whole, "", false)+"\n"+s.HookEdited(taken, "", false)+"\n"+s.HookEdited(absent, "", false))
	}
}

func TestWhatAHostTellsOfItsChatIsShown(t *testing.T) {
	t.Parallel()
	v := driven().Run
	v.Driver.Session = "7b0c" + steering
	v.Life = &wire.LifeView{At: noon, Kind: "chat", Calls: 12}
	for name, s := range styles {
		golden(t, "chat."+name, s.Status(v)+"\n"+driver(*v.Driver)+"\n")
	}
}
