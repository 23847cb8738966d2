package work

import (
	"slices"
	"strconv"
	"strings"
)

// Where a run forbids pushes, the git configuration of its agents says so. For the run's
// repository alone, the push address names a missing helper. Fetches, commits, and pushes
// of other repositories, for example in tests, work as before. It is a hint for honest
// agents, and no wall: an agent can unset it.

// noPushName is the configuration file in the box of an agent.
const noPushName = "no-push.gitconfig"

// noPush sends every push to a missing helper, and git prints its name.
const noPush = `# This run allows no push (git.push: deny).
[url "push-is-denied-in-this-run::"]
	pushInsteadOf = ""
`

// noPushEnv are the variables for git to read a configuration file. The file holds in one
// repository and below its directory: work trees and submodules. Existing variables of
// configuration stay.
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

// globQuoted escapes the special characters of a git pattern.
var globQuoted = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
