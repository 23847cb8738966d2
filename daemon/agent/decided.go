package agent

import "strings"

// Who decides what an option would decide, as the end of "... is decided by".
const (
	bySession = "the run, which gives each call its session: two agents in one would mix their work"
	byStream  = "autopilot, which reads what the program prints"
	byPrompt  = "autopilot, which gives the prompt"
	byCommit  = "the run, which records the tree itself"
	byTurns   = "the limits of the run: --max-turns"
	byUSD     = "the limits of the run: --max-usd"
	bySchema  = "the workflow"
)

// fixed are options that nobody else may give.
type fixed struct{ by, options string }

// checkArgs refuses further arguments that would take a decision from the run.
// The error is a *ProfileError.
func (p program) checkArgs(args []string) error {
	for _, arg := range args {
		for _, f := range p.decided {
			for option := range strings.FieldsSeq(f.options) {
				if p.means(arg, option) {
					return refuse("leave it out of args", "agent %s: %s is decided by %s", p.name, option, f.by)
				}
			}
		}
	}
	return nil
}

// means says whether the program takes an argument for that option: as it is,
// with a value behind it, or one letter with what follows it. Aider takes the
// beginning of a long option for it too.
func (p program) means(arg, option string) bool {
	name, _, _ := strings.Cut(arg, "=")
	switch {
	case name == option:
		return true
	case len(option) == 2 && option[0] == '-':
		return strings.HasPrefix(arg, option)
	case p.name == "aider" && strings.HasPrefix(option, "--"):
		return len(name) > len("--") && strings.HasPrefix(option, name)
	}
	return false
}
