package wire_test

import (
	"testing"

	"autopilot/events/wire"
)

func TestIssuesAreReadInTheFormsThatPeopleHave(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"24": "#24", "#24": "#24", " 24 ": "#24", "Some-One/na.me_x#7": "Some-One/na.me_x#7",
		"https://github.com/o/n/issues/24":                   "o/n#24",
		"https://github.com/o/n/pull/24#issuecomment-123456": "o/n#24",
	} {
		i, err := wire.ParseIssue(in)
		if err != nil || i.String() != want {
			t.Errorf("%q is %v %v, want %s", in, i, err, want)
		}
	}
	for _, bad := range []string{
		"", "0", "-1", "#", "#0", "#+3", "24x", "o/n", "o#1", "o/n/m#1", "/n#1", "o/#1", "-o/n#1", "o/-n#1", "o/..#1", "o/n#99999999999",
		"o/n#1#2", "o n/x#1", "o/n\n#1", "o/nä#1", "https://evil.example/o/n/issues/24", "https://github.com/o/n",
	} {
		if i, err := wire.ParseIssue(bad); err == nil {
			t.Errorf("%q passes for %v", bad, i)
		}
	}
}

func TestATrackerMayBeARepositoryAlone(t *testing.T) {
	t.Parallel()
	i, err := wire.ParseTracker("Owner/Name")
	if err != nil || i.Number != 0 || !i.Of("owner/name") || i.Of("owner/other") || i.String() != "Owner/Name" {
		t.Errorf("got %v %v", i, err)
	}
	if (wire.Issue{Number: 3}).Of("") {
		t.Error("an issue without a repository is of one")
	}
}

func TestAnAddressIsThatOfAPullRequestOfARepository(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://github.com/Owner/Name/pull/24": true, "https://ghe.example.com/owner/name/pull/1": true,
		"http://github.com/owner/name/pull/24": false, "https://github.com/owner/other/pull/24": false, "https://github.com/owner/name/pull/24/files": false,
		"https://github.com/owner/name/pull/0": false, "https://github.com/owner/name/pull/+1": false, "https://github.com/owner/name/issues/24": false,
		"https://u@evil/owner/name/pull/24": false, "https://github.com/owner/name/pull/24\n": false, "https:///owner/name/pull/24": false, "": false,
	} {
		if got := wire.PullRequest(text, "owner/name"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
