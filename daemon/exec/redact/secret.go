package redact

import (
	"slices"
	"strings"
)

// Sizes of values.
const (
	leastImplied = 8 // below that a value is not secret because of its name alone
	leastNamed   = 4 // below that it would be found everywhere
)

// Secrets lists the variables of an environment that hold secrets, as
// NAME=value, each value once: those whose name says so, passwords in URLs, and
// those that more names.
func Secrets(env []string, more ...string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(name, value string, least int) {
		value = strings.TrimSpace(value)
		if len(value) >= least && !seen[value] {
			seen[value] = true
			out = append(out, name+"="+value)
		}
	}
	own := personal(env)
	for _, entry := range env {
		name, value, ok := strings.Cut(entry, "=")
		switch {
		case !ok:
		case slices.Contains(more, name):
			add(name, value, leastNamed)
		case own[value] || usual(value):
		case secretName(name) && !isPath(value):
			add(name, value, leastImplied)
		default:
			if p := urlPassword(value); !own[p] && !usual(p) {
				add(name, p, leastImplied)
			}
		}
	}
	return out
}

// personal are values that say who somebody is, and are in every path.
func personal(env []string) map[string]bool {
	own := map[string]bool{}
	for _, entry := range env {
		switch name, value, _ := strings.Cut(entry, "="); name {
		case "USER", "LOGNAME", "HOME", "SHELL", "PWD", "HOSTNAME", "LANG":
			own[value] = true
		}
	}
	return own
}

// usual says that a value is a word of configuration, or too plain to be told
// from other text.
func usual(value string) bool {
	switch strings.ToLower(value) {
	case "undefined", "password", "changeme", "disabled", "required", "optional", "development", "production",
		"anonymous", "localhost", "postgres", "redacted", "keychain", "automatic", "interactive", "testtest":
		return true
	}
	distinct := map[byte]bool{}
	for i := range len(value) {
		distinct[value[i]] = true
	}
	return len(distinct) < 4
}

// isPath says that a value names a file. Base64 may begin with a slash too, but
// has no dot and no such first folder.
func isPath(value string) bool {
	for _, p := range []string{
		"~/", "./", "../", "/home/", "/Users/", "/root/", "/etc/", "/run/", "/var/", "/tmp/", "/opt/", "/usr/", "/mnt/", "/private/",
	} {
		if strings.HasPrefix(value, p) {
			return true
		}
	}
	return strings.HasPrefix(value, "/") && strings.Contains(value, ".")
}

// Parts of names.
var (
	strongParts = []string{"TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "APIKEY"}
	weakParts   = []string{"KEY", "AUTH", "COOKIE", "PRIVATE", "PASS", "PWD", "PAT", "JWT", "BEARER"}
	strongEnds  = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY"} // of a part, as in PGPASSWORD
	// Last parts that say that a name is about a secret, and holds none.
	aboutParts = []string{
		"FILE", "FILES", "PATH", "DIR", "SOCK", "SOCKET", "URL", "URI", "HOST", "PORT", "TYPE", "NAME", "USER", "USERNAME", "EMAIL",
		"TTL", "TIMEOUT", "EXPIRY", "EXPIRES", "EXPIRATION", "LENGTH", "SIZE", "LIMIT", "COUNT", "MODE", "METHOD", "ALGORITHM", "ALG",
		"PROVIDER", "SCOPE", "SCOPES", "DOMAIN", "REGION", "VERSION", "HELPER", "COMMAND", "CMD", "PROGRAM", "ENABLED", "DISABLED",
		"FORMAT", "ISSUER", "AUDIENCE", "ENDPOINT", "SERVER", "ARN", "MS", "SECONDS",
	}
)

func secretName(name string) bool {
	parts := nameParts(name)
	if len(parts) == 0 || slices.Contains(aboutParts, parts[len(parts)-1]) || name == "GPG_KEY" {
		return false
	}
	weak := false
	for _, p := range parts {
		ends := func(end string) bool { return strings.HasSuffix(p, end) }
		if slices.Contains(strongParts, p) || slices.ContainsFunc(strongEnds, ends) {
			return true
		}
		weak = weak || slices.Contains(weakParts, p)
	}
	last := parts[len(parts)-1]
	public := slices.Contains(parts, "PUBLIC") || slices.Contains(parts, "PUBLISHABLE")
	return weak && !public && last != "ID" && name != "PWD"
}

// nameParts are the words of a name in capitals: those of MY_API_KEY and of
// myApiKey are the same.
func nameParts(name string) []string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case !alnum[c]:
			c = ' '
		case upper[c] && i > 0 && lower[name[i-1]]:
			b.WriteByte(' ')
		}
		b.WriteByte(c)
	}
	return strings.Fields(strings.ToUpper(b.String()))
}

// urlPassword is the password in scheme://user:password@host, or empty.
func urlPassword(value string) string {
	_, rest, ok := strings.Cut(value, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 && strings.Contains(rest[:i], "@") {
		rest = rest[:i]
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return ""
	}
	user, password, _ := strings.Cut(rest[:at], ":")
	if password == user {
		return ""
	}
	return password
}
