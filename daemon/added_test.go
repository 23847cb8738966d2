package daemon

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

func TestDoneTellsWhatWasSuppressedAndWhichTestsAreNew(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"check.sh": "grep -q ok shop.py\n",
		"shop.py":  "def total():\n    return 1  # noqa: E501\n\n\ndef tax():\n    return 2\n",
		"old.py":   "x = f()  # type: ignore\n",
	})
	st := s.play(s.spec("sh check.sh", `
		printf 'def tax():\n    return 2  # noqa\n\n\ndef total():  # ok\n    return 1  # noqa: E501\n' > shop.py
		mv old.py new.py
		mkdir -p tests docs; printf '@pytest.mark.skip\ndef test_a():\n    pass\n' > tests/test_a.py
		printf 'use # noqa\n' > docs/a.md`))
	s.wants(st, "done")
	want := &wire.Additions{
		Suppressions: []wire.Suppression{
			{Kind: "noqa", Class: "lint", File: "shop.py", Line: 2},
			{Kind: "pytest.mark.skip", Class: "tests", File: "tests/test_a.py", Line: 1},
		},
		Tests: []string{"tests/test_a.py"},
	}
	if d := cmp.Diff(want, s.why(st.ID).Evidence.Added); d != "" {
		t.Error(d)
	}
}

// A gate may read what no tree holds: done names it.
func TestDoneNamesWhatIsNotInItsTree(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"check.sh": "test -f ok\n"})
	st := s.play(s.spec("sh check.sh", "touch ok; mkfifo pipe; truncate -s 60M large.bin"))
	s.wants(st, "done")
	want := []wire.Unrecorded{{Path: "large.bin", Why: "large"}, {Path: "pipe", Why: "unreadable"}}
	if a := s.why(st.ID).Evidence.Added; a == nil || cmp.Diff(want, a.Unrecorded) != "" {
		t.Errorf("%+v", a)
	}
}

func TestDoneTellsOfNoSuppressionWhereNoneWasAdded(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"check.sh": "test -f ok\n", "a.py": "x = f()  # noqa\n"})
	st := s.play(s.spec("sh check.sh", "touch ok; printf 'y = g()  # noqa\\n' > a.py"))
	s.wants(st, "done")
	if a := s.why(st.ID).Evidence.Added; a != nil {
		t.Errorf("%+v", a)
	}
}
