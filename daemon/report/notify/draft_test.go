package notify

import (
	"errors"
	"strings"
	"testing"
)

func TestADraftIsOfTheRepositoryOfARule(t *testing.T) {
	t.Parallel()
	const https, ssh = "https://github.com/owner/name.git", "git@github.com:Owner/Name.git"
	for _, tc := range []struct {
		rule      Rule
		path, has string // of the mistake
	}{
		{Rule{GitHub: "owner/name", Draft: true}, "", ""},
		{Rule{GitHub: "owner/name#5", Draft: true, Remote: ssh, On: []string{"done", "needs_person"}}, "", ""},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "https://git.example.com/x/owner/name"}, "", ""},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "ssh://git@host:22/owner/name.git"}, "", ""},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "/srv/git/x.git"}, "", ""},
		{Rule{Bell: true, Draft: true}, "rules.0.draft", "needs the repository"},
		{Rule{Webhook: "https://h/x", Remote: https}, "rules.0.remote", "without a draft"},
		{Rule{GitHub: "owner/name", Draft: true, On: []string{"done"}}, "rules.0.on", "is asked about"},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "git@github.com:owner/other.git"}, "rules.0.remote", "another repository than owner/name"},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "https://u:hunter2@github.com/owner/name"}, "rules.0.remote", "a password"},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "--upload-pack=x"}, "rules.0.remote", "no address"},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "ext::sh -c x"}, "rules.0.remote", "no address"},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "/srv/a\nb"}, "rules.0.remote", "no address"},
		{Rule{GitHub: "owner/name", Draft: true, Remote: "../x"}, "rules.0.remote", "no address"},
	} {
		s := Settings{Rules: []Rule{tc.rule}}
		err := s.Check()
		if m := new(Mistake); tc.has == "" && err != nil || tc.has != "" && (!errors.As(err, &m) || m.Path != tc.path || !strings.Contains(m.What, tc.has)) {
			t.Errorf("%+v: %v", tc.rule, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("it is repeated: %v", err)
		}
	}
	s := Settings{Rules: []Rule{{GitHub: "owner/name"}, {GitHub: "owner/name", Draft: true}, {GitHub: "o/n", Draft: true, Remote: ssh}}}
	for issue, want := range map[string]string{"Owner/Name#3": https, "o/n#1": ssh, "#3": "", "": "", "owner/other#1": ""} {
		to, ok := s.Draft(issue)
		if ok != (want != "") || ok && to.Address() != want {
			t.Errorf("%q: %+v", issue, to)
		}
	}
}
