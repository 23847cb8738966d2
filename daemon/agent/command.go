package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"autopilot/events/place"
	"autopilot/projections/rule"
)

// Names of the variables that an agent gets beside its environment.
const (
	EnvRunID      = "AUTOPILOT_RUN_ID"
	EnvPhase      = "AUTOPILOT_PHASE"
	EnvRole       = "AUTOPILOT_ROLE"
	EnvIteration  = "AUTOPILOT_ITERATION"
	EnvCap        = "AUTOPILOT_AGENT_CAP"
	EnvMode       = "AUTOPILOT_MODE"
	EnvPromptFile = "AUTOPILOT_PROMPT_FILE"
	EnvResultFile = "AUTOPILOT_RESULT_FILE"
	EnvSocket     = place.EnvSocket
)

// Errors of commands.
var (
	ErrNotFound = errors.New("command not found")
	ErrCommand  = errors.New("unusable command")
)

// PromptMode says how an agent gets its prompt. The zero value is stdin.
type PromptMode string

// The modes. In both the prompt is also in AUTOPILOT_PROMPT_FILE.
const (
	PromptStdin PromptMode = "stdin"
	PromptFile  PromptMode = "file" // stdin is /dev/null
)

func (m PromptMode) where() string {
	if m == PromptFile {
		return "from a file"
	}
	return "on standard input"
}

// Command is an agent that is any command.
type Command struct {
	rule.Command
	Prompt PromptMode
}

// Place is where one agent process finds itself.
type Place struct {
	RunID      string
	Phase      string
	Role       string // of a session that looks; empty for the one that works
	Iteration  int
	Mode       string // of a whole session; empty without one
	Capped     bool   // Cap is known
	Cap        int    // sub-agents that it may have at once
	PromptFile string // absolute, exists
	ResultFile string // absolute, may be written by the agent
	Socket     string // absolute; empty without one
}

// Invocation is what a supervisor has to start.
type Invocation struct {
	Path  string   // absolute path of the program
	Argv  []string // with argv[0]
	Env   []string // KEY=VALUE, to be added to the run's environment
	Stdin string   // absolute path of a file; empty is /dev/null
}

// Invoke resolves the command in the workspace dir on the run's PATH and says
// how to start it; PromptWord in a list becomes the prompt's file. It returns a
// *NotFoundError when its first word is nowhere, and ErrCommand when no process
// could be started with it. The prompt is never part of argv, so its size and
// first characters do not matter.
func (c Command) Invoke(p Place, path, dir string) (Invocation, error) {
	program, err := c.Resolve(path, dir)
	if err != nil {
		return Invocation{}, err
	}
	argv := c.Process()
	if len(c.Argv) == 0 {
		program = argv[0]
	} else {
		argv = fill(argv, PromptWord, p.PromptFile)
	}
	inv := Invocation{Path: program, Argv: argv, Env: []string{
		EnvRunID + "=" + p.RunID,
		EnvPhase + "=" + p.Phase,
		EnvIteration + "=" + strconv.Itoa(p.Iteration),
		EnvPromptFile + "=" + p.PromptFile,
		EnvResultFile + "=" + p.ResultFile,
		EnvSocket + "=" + p.Socket,
	}}
	if p.Capped {
		inv.Env = append(inv.Env, EnvCap+"="+strconv.Itoa(p.Cap))
	}
	if p.Mode != "" {
		inv.Env = append(inv.Env, EnvMode+"="+p.Mode)
	}
	if p.Role != "" {
		inv.Env = append(inv.Env, EnvRole+"="+p.Role)
	}
	if c.Prompt != PromptFile {
		inv.Stdin = p.PromptFile
	}
	return inv, nil
}

// Resolve checks the command before a run begins. It returns the program that
// the first word stands for, or "" for a word that is not checked: builtins of
// the shell, words known only when they run, and text that cannot be parsed.
func (c Command) Resolve(path, dir string) (string, error) {
	if err := c.check(); err != nil {
		return "", err
	}
	word := c.FirstWord()
	if word == "" {
		return "", nil
	}
	return LookPath(word, path, dir)
}

func (c Command) check() error {
	switch c.Prompt {
	case "", PromptStdin, PromptFile:
	default:
		return fmt.Errorf("%w: prompt %q is neither stdin nor file", ErrCommand, c.Prompt)
	}
	if (strings.TrimSpace(c.Text) == "") == (len(c.Argv) == 0) {
		if len(c.Argv) == 0 {
			return fmt.Errorf("%w: it is empty", ErrCommand)
		}
		return fmt.Errorf("%w: it is given both as text and as a list", ErrCommand)
	}
	if len(c.Argv) > 0 && c.Argv[0] == "" {
		return fmt.Errorf("%w: its first word is empty", ErrCommand)
	}
	for _, word := range c.Process() {
		if strings.ContainsRune(word, 0) {
			return fmt.Errorf("%w: it contains a NUL byte", ErrCommand)
		}
	}
	return nil
}

// NotFoundError says which word was looked for and where. It is ErrNotFound.
type NotFoundError struct {
	Word string
	Path string // the PATH that was searched; empty when Word names a place
	File string // a file of that name that exists and cannot be run; may be empty
}

func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("command %q not found", e.Word)
	switch {
	case e.File != "":
		return fmt.Sprintf("command %q: %s is not an executable file", e.Word, e.File)
	case strings.ContainsRune(e.Word, '/'):
		return s
	case e.Path == "":
		return s + ": PATH is empty"
	}
	return s + " on PATH " + e.Path
}

// Is makes it ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// LookPath finds the program of a word as a shell in dir with that PATH would,
// and returns its absolute path. The error is a *NotFoundError.
func LookPath(word, path, dir string) (string, error) {
	fail := &NotFoundError{Word: word, Path: path}
	folders := filepath.SplitList(path)
	if strings.ContainsRune(word, '/') {
		folders, fail.Path = []string{""}, ""
	}
	for _, folder := range folders {
		file := filepath.Join(folder, word)
		if filepath.IsAbs(word) {
			file = word
		} else if !filepath.IsAbs(folder) {
			file = filepath.Join(dir, folder, word)
		}
		switch ok, exists := executable(file); {
		case ok:
			return file, nil
		case exists && fail.File == "":
			fail.File = file
		}
	}
	return "", fail
}

// executable looks at the mode only: root may do everything, and a file that
// nobody may run is a mistake for root too.
func executable(file string) (ok, exists bool) {
	info, err := os.Stat(file)
	if err != nil {
		return false, !errors.Is(err, fs.ErrNotExist) && errors.Is(err, fs.ErrPermission)
	}
	return info.Mode().IsRegular() && info.Mode()&0o111 != 0, true
}
