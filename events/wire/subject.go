package wire

import "strings"

// Subjects of requests and replies. C is a client's own random name.
const (
	commandPrefix = "ap.cmd."
	inboxPrefix   = "_INBOX."
	clientLen     = 26
	clientDigits  = "abcdefghijklmnopqrstuvwxyz234567"
)

// ClientName makes a client's name C from random bytes: 26 characters of [a-z2-7], five
// bits of each byte.
func ClientName(random [clientLen]byte) string {
	var b [clientLen]byte
	for i, r := range random {
		b[i] = clientDigits[r&31]
	}
	return string(b[:])
}

// ValidClient reports whether c has the form of a client's name.
func ValidClient(c string) bool {
	if len(c) != clientLen {
		return false
	}
	for i := range len(c) {
		if (c[i] < 'a' || c[i] > 'z') && (c[i] < '2' || c[i] > '7') {
			return false
		}
	}
	return true
}

// CommandSubject is the subject for requests of client c with the verb; "*" for c stands
// for all clients.
func CommandSubject(c string, v Spec) string { return commandPrefix + c + "." + v.Name }

// Commands is every subject that the client c may publish to.
func Commands(c string) string { return commandPrefix + c + ".>" }

// Inbox is the prefix of client c's reply subjects, without the last dot.
func Inbox(c string) string { return inboxPrefix + c }

// CommandClient finds the client of a command subject. It is false for every other
// subject.
func CommandClient(subject string) (string, bool) {
	rest, ok := strings.CutPrefix(subject, commandPrefix)
	if !ok {
		return "", false
	}
	c, _, ok := strings.Cut(rest, ".")
	return c, ok && ValidClient(c)
}

// OwnReply reports whether a reply subject is within the inbox of the client
// c and names one subject, not a pattern.
func OwnReply(c, reply string) bool {
	rest, ok := strings.CutPrefix(reply, inboxPrefix+c+".")
	return ok && rest != "" && len(rest) <= 128 && !strings.ContainsAny(rest, "*> \t\r\n\x00") &&
		!strings.HasPrefix(rest, ".") && !strings.HasSuffix(rest, ".") && !strings.Contains(rest, "..")
}
