package atdd

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestWhatOthersHaveWrittenIntoTheShellFileIsSeen: around it, and within.
func TestWhatOthersHaveWrittenIntoTheShellFileIsSeen(t *testing.T) {
	t.Parallel()
	for _, text := range []string{Shell("/a/apctl"), ShellObserved("/a/it's/apctl", "/a/lib.sh")} {
		for _, c := range []struct {
			name, src     string
			before, after string
			whole, is     bool
		}{
			{"as it was made", text, "", "", true, true},
			{"with more around it", "#!/bin/bash\n" + text + "more() { :; }\n", "#!/bin/bash\n", "more() { :; }\n", true, true},
			{"with line ends of Windows", strings.ReplaceAll(text, "\n", "\r\n"), "", "", true, true},
			{"with a mark of the byte order", "\ufeff" + text, "", "", true, true},
			{"without the last line end", strings.TrimSuffix(text, "\n"), "", "", true, true},
			{"with a line more within", strings.Replace(text, "check_stuck", "\ncheck_stuck", 1), "", "", false, true},
			{"cut off", text[:len(text)/2], "", "", false, true},
			{"without its first line", text[strings.Index(text, "\n")+1:], "", "", false, true},
			{"atdd-kit's own", "record_iteration() { :; }\ncheck_sameness() { :; }\n", "", "", false, false},
			{"nothing", "", "", "", false, false},
		} {
			w, is := ReadShell([]byte(c.src))
			if is != c.is || w != (Written{c.before, c.after, c.whole}) {
				t.Errorf("%s: %+v, is %v", c.name, w, is)
			}
		}
	}
}

// shellLine is where in a file bash says that something was.
var shellLine = regexp.MustCompile(`(?m)^\S+: (line \d+: )+`)

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// ownLibrary answers as its arguments say, and reads what it is given.
const ownLibrary = `
_helper() { echo "$# $*"; }
fingerprint() { cat | tr a-z A-Z; }
record_iteration() { _helper "$@" >>"$1"; echo "refused" >&2; return "${CODE:-0}"; }
check_sameness() { local rc=7; false; rc=$?; [ "$rc" -eq 1 ]; _helper "$@"; grep -c x "$1"; return "${CODE:-0}"; }
check_stuck() { echo "$3"; }
pin_anchor() { fingerprint >"$1"; }
`

// TestAnObservedFunctionAnswersAsBefore: what is printed, written and read, exit codes,
// and what errexit, nounset, pipefail and a trap of ERR make of them, with a program
// that is there, fails, is gone, or says something.
func TestAnObservedFunctionAnswersAsBefore(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("own.sh", ownLibrary)
	p.write("loud", "#!/bin/sh\ncat; echo loud; echo loud >&2; exit 9\n")
	if out, err := exec.Command("chmod", "+x", p.dir+"/loud").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	p.write("loud.sh", ShellObserved(p.dir+"/loud", p.dir+"/own.sh"))
	p.write("gone.sh", ShellObserved("/no/apctl", p.dir+"/own.sh"))
	run := func(lib, options, call string) string {
		cmd := exec.Command("bash", "-c", options+"; . ./"+lib+"; "+call+"; echo on; cat log pin 2>/dev/null; rm -f log pin")
		cmd.Dir, cmd.Stdin = p.dir, strings.NewReader("given\n")
		out, err := cmd.CombinedOutput()
		_ = exec.Command("rm", "-f", p.dir+"/log", p.dir+"/pin").Run()
		text := string(out) + strings.Join(strings.Fields(errText(err)), " ")
		return shellLine.ReplaceAllString(text, "")
	}
	for _, options := range []string{":", "set -e", "set -euo pipefail", `set -Eeuo pipefail; trap 'echo trap $?' ERR`} {
		for _, call := range []string{
			"check_sameness own.sh 'a b' ''", "CODE=3 check_sameness own.sh || echo halted $?", "CODE=3 check_sameness own.sh", "CODE=1 record_iteration log 1 s FAIL a", "record_iteration log 1 's t' FAIL a",
			"x=$(check_sameness none; echo $?); echo $x", "check_stuck a b", "pin_anchor pin", "fingerprint", "while read l; do check_sameness own.sh; echo $l; done", "if CODE=1 check_sameness own.sh; then echo y; else echo n; fi",
			"check_stuck a b c | cat", "CODE=4 check_sameness own.sh | cat", "check_pin x y", "declare -F check_pin || :", "echo $-",
		} {
			want := run("own.sh", options, call)
			for _, lib := range []string{"loud.sh", "gone.sh"} {
				if got := run(lib, options, call); got != want {
					t.Errorf("%s, %s, %s:\n%s\nand by atdd-kit's own:\n%s", lib, options, call, got, want)
				}
			}
		}
	}
	if got := run("gone.sh", "rm own.sh", "check_stuck"); !strings.Contains(got, "watches a library of atdd-kit that is gone") {
		t.Errorf("%s", got)
	}
}
