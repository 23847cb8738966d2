package work

import (
	"slices"
	"strconv"
	"strings"
)

// Where a run allows no push, git of its agents is told so by its own configuration: for
// the repository of the run alone, an address to push to names a helper that does not
// exist. Fetches, commits and pushes of other repositories, as of tests, are as ever. It
// is a hint for who means well, and no wall: an agent can unset it.

// noPushName is the file of configuration in the box of an agent.
const noPushName = "no-push.gitconfig"

// noPush sends every push to a helper that git does not find, and names.
const noPush = `# This run allows no push (git.push: deny).
[url "push-is-denied-in-this-run::"]
	pushInsteadOf = ""
`

// noPushEnv are the variables that have git read a file of configuration in one
// repository and in what is below its directory: work trees and submodules. Variables
// of configuration that are there already stay.
func noPushEnv(env []string, gitDir, file string) []string {
	if gitDir == "" {
		return nil
	}
	n := 0
	for _, e := range slices.Backward(env) {
		if text, ok := strings.CutPrefix(e, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(text)
			break
		}
	}
	n = max(n, 0)
	var out []string
	for _, place := range []string{gitDir, gitDir + "/"} {
		i := strconv.Itoa(n)
		out = append(out, "GIT_CONFIG_KEY_"+i+"=includeIf.gitdir:"+globQuoted.Replace(place)+".path", "GIT_CONFIG_VALUE_"+i+"="+file)
		n++
	}
	return append(out, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}

// globQuoted takes the meaning from what is one in a pattern of git.
var globQuoted = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
