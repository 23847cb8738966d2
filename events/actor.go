package events

import "fmt"

// An actor is one string that says who did something:
//
//	daemon:<host>                              the daemon on its own
//	local:<uid>@<host>/<pid>                   a process of the user, unproven
//	agent:<run>/<phase>/<role>/<session>       an agent
//	effect:<effect id>@<host>                  anything that the daemon started
//	person:<uid>@<host>/<tty>                  a person who was proven there
//	session:<program>-<pid>@<host>             a chat that drives a run
//	key:<identity>@<host>                      whoever has that key, over the network
//
// Peers follow the same form: session:<peer>.

// ActorDaemon is the actor of what the daemon does on its own.
func ActorDaemon(host string) string { return "daemon:" + host }

// ActorLocal is the actor of an unproven process of the user.
func ActorLocal(uid, pid int, host string) string {
	return fmt.Sprintf("local:%d@%s/%d", uid, host, pid)
}

// ActorPerson is the actor of a person who was proven at a terminal, which is
// named without /dev/.
func ActorPerson(uid int, host, tty string) string {
	return fmt.Sprintf("person:%d@%s/%s", uid, host, tty)
}

// ActorKey is the actor of whoever has the key of an identity of the
// configuration. That is all that is proven: the host is the daemon's.
func ActorKey(identity, host string) string { return "key:" + identity + "@" + host }

// ActorEffect is the actor of a process that descends from an effect.
func ActorEffect(effect, host string) string { return "effect:" + effect + "@" + host }

// ActorSession is the actor of a chat that drives a run; the program is empty
// where it is none that is known.
func ActorSession(program Name, pid int, host string) string {
	if program == "" {
		program = "chat"
	}
	return fmt.Sprintf("session:%s-%d@%s", program, pid, host)
}
