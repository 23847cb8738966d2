package work

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"autopilot/events"
)

// An agent's git reads a configuration file of the run, for the run's repository alone.
// It is a hint for honest agents, and no wall: an agent can unset it.

// gitConfigName is that file in the box of an agent, and stashGuardName the program that
// it names.
const (
	gitConfigName  = "run.gitconfig"
	stashGuardName = "stash-guard.sh"
)

// noPush sends every push to a missing helper, and git prints its name. Fetches, commits,
// and pushes of other repositories, for example in tests, work as before.
const noPush = `# This run allows no push (git.push: deny).
[url "push-is-denied-in-this-run::"]
	pushInsteadOf = ""
`

// stashGuard ends a git stash that puts work on the stash or takes it from there. Git has
// one stash for all work trees of a repository, and no hook before it takes work from it;
// it does ask core.fsmonitor first. The autostash of a rebase has a commit of its own and
// goes on. The guard reads the calling command from /proc, so elsewhere it lets all go on.
//
//go:embed stash-guard.sh
var stashGuard []byte

// gitConfig is the configuration of a run's agents; empty where there is nothing to say.
// The guard is the path of its program, "" for none.
func gitConfig(push, guard string) string {
	text := ""
	if push == events.GitDeny {
		text += noPush
	}
	if guard != "" {
		command := "sh '" + strings.ReplaceAll(guard, "'", `'\''`) + "'"
		text += "# The stash is one for all work trees of this repository.\n[core]\n\tfsmonitor = " +
			`"` + gitQuoted.Replace(command) + `"` + "\n\tfsmonitorHookVersion = 2\n"
	}
	return text
}

// gitQuoted escapes a value in quotes.
var gitQuoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// gitConfigEnv are the variables for git to read a configuration file. The file holds in one
// repository and below its directory: work trees and submodules. Existing variables of
// configuration stay.
func gitConfigEnv(env []string, gitDir, file string) []string {
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
