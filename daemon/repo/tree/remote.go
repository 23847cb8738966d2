package tree

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRemote is the longest name of a remote, in bytes.
const maxRemote = 1 << 10

// RemoteName is what two addresses of one repository have in common: host and
// path. Scheme, user, password, port and .git count for nothing, and neither does
// the case of the host, nor that of the path where its host takes both for one.
// ok is false for a path of this machine, and for what is no address.
func RemoteName(address string) (name string, ok bool) {
	if len(address) > maxRemote || !utf8.ValidString(address) || strings.ContainsFunc(address, unicode.IsControl) {
		return "", false
	}
	host, dir, ok := hostAndPath(strings.TrimSpace(address))
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if alias, known := hostAliases[host]; known {
		host = alias
	}
	dir = strings.TrimPrefix(path.Clean("/"+dir), "/")
	dir = strings.TrimSuffix(strings.TrimSuffix(dir, ".git"), "/")
	if caseBlind[host] || strings.HasSuffix(host, ".ghe.com") {
		dir = strings.ToLower(dir)
	}
	if !ok || host == "" || dir == "" {
		return "", false
	}
	return host + "/" + dir, true
}

// hostAliases are other names of one host: with www, or for SSH at the port of HTTPS.
var hostAliases = map[string]string{
	"www.github.com": "github.com", "ssh.github.com": "github.com",
	"www.gitlab.com": "gitlab.com", "altssh.gitlab.com": "gitlab.com",
	"www.bitbucket.org": "bitbucket.org", "altssh.bitbucket.org": "bitbucket.org",
}

// caseBlind are the hosts that take Owner/Name and owner/name for one.
var caseBlind = map[string]bool{"github.com": true, "gitlab.com": true, "bitbucket.org": true, "codeberg.org": true}

// hostAndPath takes apart what git takes for an address of another machine:
// scheme://host/path, or [user@]host:path.
func hostAndPath(address string) (host, dir string, ok bool) {
	if scheme, _, is := strings.Cut(address, "://"); is {
		switch strings.ToLower(scheme) {
		case "ssh", "git", "http", "https", "git+ssh", "ssh+git", "ftp", "ftps":
		default:
			return "", "", false
		}
		u, err := url.Parse(address)
		if err != nil {
			return "", "", false
		}
		return u.Hostname(), u.Path, true
	}
	if _, after, bracket := strings.Cut(address, "["); bracket && !strings.Contains(address[:len(address)-len(after)-1], "/") {
		host, dir, ok = strings.Cut(after, "]:")
		return strings.TrimSuffix(host, "]"), dir, ok
	}
	host, dir, ok = strings.Cut(address, ":")
	if !ok || strings.HasPrefix(dir, ":") || strings.Contains(host, "/") {
		return "", "", false // a path, or a helper's own scheme
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return host, dir, true
}
