// Package person proves that a process belongs to a person who sits at a
// terminal, as far as the kernel can show it.
//
// It owns the rules, the table of agent programs, and the names of terminals.
// The rules look at a small table of processes, so they are tested without any;
// System is the table that the kernel keeps.
//
// A process is a person's when all of these hold: it is the one that connected
// (pid with start time) and of the daemon's user; it is in the foreground of
// its controlling terminal; it lives in the daemon's user, mount and pid
// namespaces; its line of ancestors can be followed to the first process; and
// nobody in that line is an agent program, the daemon or a supervisor, an
// effect, or was started from within an agent program, as the environment tells.
// To that the caller adds a challenge that is typed at the terminal.
//
// What it does not stop: a program of the same user that wants to pass for a
// person and knows how. It can open a window in a tmux server that the person
// started, or send keys into one; leave its line of ancestors by a double fork,
// drop its environment and take a terminal from script; come back through ssh
// to this host, systemd-run or a container; trace or steer the person's own
// shell. All of these are out of reach for what is confined, and no accident for
// what is not. A proof says "as far as can be seen", which is why it is recorded
// with its assurance, and why a pin, a page or a signature say more.
//
// It starts nothing, writes nothing and decides nothing else.
package person
