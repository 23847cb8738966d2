package tree

import "testing"

func TestAllAddressesOfOneRepositoryHaveOneName(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/Owner/Name.git":                  "github.com/owner/name",
		"https://github.com/owner/name":                      "github.com/owner/name",
		"https://github.com/owner/name/":                     "github.com/owner/name",
		"http://GitHub.com/owner/name.git/":                  "github.com/owner/name",
		"https://me:hunter2@github.com/owner/name.git":       "github.com/owner/name",
		"https://x-access-token:ghs_1@github.com/owner/name": "github.com/owner/name",
		"https://github.com:443/owner/name.git":              "github.com/owner/name",
		"https://www.github.com/owner/name":                  "github.com/owner/name",
		"git@github.com:owner/name.git":                      "github.com/owner/name",
		"github.com:owner/name":                              "github.com/owner/name",
		"git@github.com:/owner/name.git":                     "github.com/owner/name",
		"ssh://git@github.com/owner/name.git":                "github.com/owner/name",
		"ssh://git@github.com:22/owner/name":                 "github.com/owner/name",
		"ssh://git@ssh.github.com:443/owner/name.git":        "github.com/owner/name",
		"git+ssh://git@github.com/owner/name":                "github.com/owner/name",
		"git://github.com/owner/name.git":                    "github.com/owner/name",
		"  https://github.com/owner/name\t":                  "",
		" https://github.com/owner/name ":                    "github.com/owner/name",
		"https://github.com./owner//./name":                  "github.com/owner/name",
		"https://github.com/owner/na%6De":                    "github.com/owner/name",
		"https://github.com/owner/name?x=1#y":                "github.com/owner/name",
		"https://gitlab.com/Group/Sub/Name.git":              "gitlab.com/group/sub/name",
		"ssh://git@altssh.gitlab.com:443/group/sub/name":     "gitlab.com/group/sub/name",
		"https://git.example.com/Owner/Name.git":             "git.example.com/Owner/Name",
		"https://Git.Example.COM:8443/owner/name":            "git.example.com/owner/name",
		"me@git.example.com:~/repos/name.git":                "git.example.com/~/repos/name",
		"ssh://git.example.com/~me/name.git":                 "git.example.com/~me/name",
		"[::1]:repos/name.git":                               "::1/repos/name",
		"git@[fe80::1]:repos/name":                           "fe80::1/repos/name",
		"ssh://git@[::1]:2222/repos/name":                    "::1/repos/name",
		"https://git.example.com/\u65e5\u672c/name":          "git.example.com/\u65e5\u672c/name",
		"https://git.example.com/a/../b/name":                "git.example.com/b/name",

		"":                              "",
		"https://":                      "",
		"https://github.com":            "",
		"https://github.com/":           "",
		"https://github.com/.git":       "",
		"git@github.com:":               "",
		":owner/name":                   "",
		"/srv/git/name.git":             "",
		"../name":                       "",
		"./a:b":                         "",
		"name":                          "",
		"file:///srv/git/name.git":      "",
		"ext::sh -c touch% /tmp/x":      "",
		"codecommit::eu-west-1://name":  "",
		"https://github.com/owner/\nx":  "",
		"https://github.com/\xff/name":  "",
		"https://git hub.com/owner/na%": "",
	} {
		if got, ok := RemoteName(address); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", address, got, ok, want)
		}
	}
}
