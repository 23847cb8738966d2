// Package unit writes what makes the daemon a service of the user: a unit of
// systemd, or a property list of launchd. It is pure: text from values.
//
// In both, agents and gates survive the end of the daemon: only the daemon's own
// process is ended, and the next one finds them again.
package unit

import (
	"fmt"
	"strings"
)

// Mark is in the first lines of every file that is written here, so that one of
// somebody else is never replaced or removed.
const Mark = "Written by apctl daemon install; apctl daemon uninstall takes it away."

// Names of the service.
const (
	SystemdName = "autopilotd.service"
	LaunchdName = "autopilot.autopilotd"
)

// Service is what a service runs.
type Service struct {
	Program string      // absolute path of autopilotd
	Env     [][2]string // variables, in the order to write them
}

// Systemd is the unit of systemd --user. The watchdog ends a daemon that does
// not move any more. An agent that the kernel ends for want of memory does not
// end the daemon.
func Systemd(s Service) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", Mark)
	b.WriteString(`[Unit]
Description=autopilot daemon
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
`)
	fmt.Fprintf(&b, "ExecStart=%s --idle 0s\n", quote(s.Program))
	for _, kv := range append([][2]string{{"AUTOPILOT_SERVICE", "systemd"}}, s.Env...) {
		fmt.Fprintf(&b, "Environment=%s\n", quote(kv[0]+"="+kv[1]))
	}
	b.WriteString(`KillMode=process
OOMPolicy=continue
Restart=on-failure
RestartSec=2
TimeoutStartSec=300
TimeoutStopSec=30
WatchdogSec=60

[Install]
WantedBy=default.target
`)
	return b.String()
}

// quote is a word of a unit file, in which a percent sign begins a specifier.
func quote(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`, "\t", `\t`).Replace(word) + `"`
}

// Launchd is the property list of a launchd agent.
func Launchd(s Service) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
`)
	fmt.Fprintf(&b, "<!-- %s -->\n", Mark)
	fmt.Fprintf(&b, "<plist version=\"1.0\">\n<dict>\n\t<key>Label</key>\n\t<string>%s</string>\n", LaunchdName)
	b.WriteString("\t<key>ProgramArguments</key>\n\t<array>\n")
	for _, word := range []string{s.Program, "--idle", "0s"} {
		fmt.Fprintf(&b, "\t\t<string>%s</string>\n", escape(word))
	}
	b.WriteString("\t</array>\n\t<key>EnvironmentVariables</key>\n\t<dict>\n")
	for _, kv := range append([][2]string{{"AUTOPILOT_SERVICE", "launchd"}}, s.Env...) {
		fmt.Fprintf(&b, "\t\t<key>%s</key>\n\t\t<string>%s</string>\n", escape(kv[0]), escape(kv[1]))
	}
	b.WriteString(`	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ThrottleInterval</key>
	<integer>10</integer>
	<key>AbandonProcessGroup</key>
	<true/>
	<key>ProcessType</key>
	<string>Background</string>
</dict>
</plist>
`)
	return b.String()
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
