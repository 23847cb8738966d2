package events

import "fmt"

// An actor is one string that says who did something:
//
//	daemon:<host>                              the daemon on its own
//	local:<uid>@<host>/<pid>                   a process of the user, unproven
//	agent:<run>/<phase>/<role>/<session>       an agent
//	effect:<effect id>@<host>                  anything that the daemon started
//
// Proven people and peers follow the same form: person:<uid>@<host>/<tty>,
// session:<peer>.

// ActorDaemon is the actor of what the daemon does on its own.
func ActorDaemon(host string) string { return "daemon:" + host }

// ActorLocal is the actor of an unproven process of the user.
func ActorLocal(uid, pid int, host string) string {
	return fmt.Sprintf("local:%d@%s/%d", uid, host, pid)
}

// ActorEffect is the actor of a process that descends from an effect.
func ActorEffect(effect, host string) string { return "effect:" + effect + "@" + host }
