package render

import (
	"strings"
	"testing"

	"autopilot/events/wire"
)

func TestTextsOfTheServiceAndOfNotifications(t *testing.T) {
	t.Parallel()
	file := "/home/u/.config/systemd/user/autopilotd.service"
	commands := []string{"systemctl --user daemon-reload", "systemctl --user enable autopilotd.service"}
	told := daemon()
	told.IdleEnds, told.Service = nil, "systemd"
	told.Settings = "/home/u/.config/autopilot/config.yaml:3:7: unknown kind \"hallted\"" + steering
	told.Notify = &wire.NotifyStatus{Rules: 2, Waiting: 3, Failed: 1, Error: "post to example.org: answered 503 Service Unavailable" + steering}
	texts := map[string]func(Style) string{
		"service-dry": func(s Style) string {
			return s.Service(wire.ServiceView{File: file, Text: "[Unit]\nDescription=x" + steering + "\n", Installed: true, Changed: true, DryRun: true, Commands: commands})
		},
		"service-runs": func(s Style) string {
			return s.Service(wire.ServiceView{File: file, Installed: true, Changed: true, Active: true}) +
				s.Service(wire.ServiceView{File: file, Installed: true, Active: true, Linger: true})
		},
		"service-later": func(s Style) string {
			return s.Service(wire.ServiceView{File: file, Installed: true, Changed: true, Linger: true, Commands: commands, Problem: "systemctl: Failed to connect to bus" + steering})
		},
		"service-gone": func(s Style) string {
			return s.Service(wire.ServiceView{File: file, Changed: true, Linger: true}) + s.Service(wire.ServiceView{File: file, Linger: true})
		},
		"service-faults": func(s Style) string {
			return s.Error(ForeignService(file)) + s.Error(ServiceProgram(`/a"b`)) + s.Error(NoServiceManager("plan9"))
		},
		"notify": func(s Style) string {
			return s.Notify(wire.NotifyView{Results: []wire.NotifyResult{
				{Rule: "1: run ./tell.sh (done)" + steering, OK: true, MS: 12},
				{Rule: "2: run ./tell.sh", Error: "the command exited with 3: no" + steering + "\nway", MS: 9},
				{Rule: "3: webhook https://example.org/...", Error: "post to example.org: no answer within 10s", Note: "a real message would be tried again", MS: 10_000},
				{Rule: "4: bell", OK: true, Note: "apctl run and apctl watch ring it at their terminal"},
			}}) + NoRules("/home/u/.config/autopilot/config.yaml", "") + NoRules("/c", "halted")
		},
		"daemon-told": func(s Style) string { return s.Daemon(told) },
	}
	for name, text := range texts {
		for style, s := range styles {
			got := text(s)
			golden(t, name+"."+style, got)
			if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\u202e") {
				t.Errorf("%s lets controls through: %q", name, got)
			}
			if style == "colour" && Clean(got) != text(styles["plain"]) {
				t.Errorf("%s says more in colour than without", name)
			}
		}
	}
}
