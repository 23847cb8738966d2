package autopilot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"autopilot/ctl"
	"autopilot/daemon/agent"
	"autopilot/daemon/config"
	"autopilot/daemon/config/queuefile"
	"autopilot/daemon/run/workflow"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// readers say by the info string of a fence what a block of the docs is, and read it
// as the program does that it is for. A block that nobody reads is text.
var readers = map[string]func(testing.TB, block) []string{
	"text":          func(testing.TB, block) []string { return nil },
	"sh":            shellFaults,
	"yaml project":  func(_ testing.TB, b block) []string { return problems(config.ParseProject(b.file, b.text).Problems) },
	"yaml user":     func(_ testing.TB, b block) []string { return problems(config.ParseUser(b.file, b.text).Problems) },
	"yaml workflow": workflowFaults,
	"yaml queue":    queueFaults,
	"json result":   func(_ testing.TB, b block) []string { _, err := agent.ParseResult(b.text); return faults(err) },
	"json submission": func(_ testing.TB, b block) []string {
		_, bad := wire.ParseSubmission(string(b.text))
		return refused(bad)
	},
	"json findings": func(_ testing.TB, b block) []string {
		_, bad := wire.ParseFindings(string(b.text))
		return refused(bad)
	},
	"json session": sessionFaults,
}

// queueFaults are those of a file that a queue is filled from.
func queueFaults(_ testing.TB, b block) []string {
	if _, err := queuefile.Parse("queue.yaml", string(b.text)); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// block is a fenced block of a file, or a piece of text that is read as one.
type block struct {
	file string
	line int // of its first line
	info string
	text []byte
}

func (b block) String() string { return fmt.Sprintf("%s:%d (%s)", b.file, b.line, b.info) }

// docFiles are the files with blocks.
func docFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("docs: %v, %v", files, err)
	}
	return append(files, "README.md")
}

// blocks are the fenced blocks of a text, and what is wrong with its fences.
func blocks(file, text string) (found []block, wrong []string) {
	var open *block
	blank := true
	for i, line := range strings.Split(text, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{file: file, line: i + 2, info: info}
		case fence:
			found, open = append(found, *open), nil
		case open != nil:
			open.text = append(open.text, line+"\n"...)
		case blank && strings.HasPrefix(line, "    "):
			wrong = append(wrong, fmt.Sprintf("%s:%d: an indented block: fence it, with what it is", file, i+1))
		}
		blank = strings.TrimSpace(line) == ""
	}
	if open != nil {
		wrong = append(wrong, open.String()+": it has no end")
	}
	return found, wrong
}

func TestBlocksOfTheDocsAreReadAsTheProgramReadsThem(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, file := range docFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, wrong := blocks(file, string(text))
		for _, b := range found {
			read := readers[b.info]
			if read == nil {
				wrong = append(wrong, b.String()+": its info string names no reader")
				continue
			}
			seen[b.info] = true
			for _, fault := range read(t, b) {
				wrong = append(wrong, b.String()+": "+fault)
			}
		}
		for _, w := range wrong {
			t.Error(w)
		}
	}
	for info := range readers {
		if !seen[info] {
			t.Errorf("no block of the docs is %q", info)
		}
	}
}

// Commands between backticks, as in tables, name commands and flags that there are.
func TestCommandsInTheTextOfTheDocsExist(t *testing.T) {
	t.Parallel()
	span := regexp.MustCompile("`(apctl [^`]*)`")
	n := 0
	for _, file := range docFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range span.FindAllStringSubmatch(strings.ReplaceAll(line, `\|`, "|"), -1) {
				n++
				for _, call := range apctlCalls(m[1], func(err error) { t.Errorf("%s:%d: %s: %v", file, i+1, m[1], err) }) {
					// The text says what follows a flag that ends the command.
					if _, _, err := parsed(call); err != nil && !strings.Contains(err.Error(), "flag needs an argument") {
						t.Errorf("%s:%d: %s: %v", file, i+1, m[1], err)
					}
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d commands were found", n)
	}
}

// The examples of each command's help are commands, too.
func TestExamplesOfTheHelpCanBeRun(t *testing.T) {
	t.Parallel()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, fault := range shellFaults(t, block{text: []byte(exampleOf(cmd))}) {
			t.Errorf("%s --help: %s", cmd.CommandPath(), fault)
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(ctl.Commands(ctl.World{}))
}

// exampleOf is the example of a command, without what is said beside it.
func exampleOf(cmd *cobra.Command) string {
	return regexp.MustCompile(`(?m)(\S) {3,}[^\s#].*$`).ReplaceAllString(cmd.Example, "$1")
}

// A fault of each kind is found: a test of the test.
func TestFaultsOfBlocksAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ info, text, want string }{
		{"sh", "apctl rnu x", "unknown command"},
		{"sh", "echo a | apctl why --nope", "unknown flag"},
		{"sh", "for x in a b; do apctl restore; done", "exit 2"},
		{"sh", "apctl run 'x", "quote"},
		{"yaml project", "gtes: {}\n", "unknown key"},
		{"yaml user", "quota: lots\n", "not a size"},
		{"yaml queue", "items: [{name: x}]\n", "it needs one"},
		{"yaml workflow", "name: x\n", "phases"},
		{"yaml workflow", "name: x\nversion: 1\nphases: [{name: a, prompt: converge.md, role: c, gates: [goals]}]\nroles: {c: {agent: [nobody]}}\n", "no agent nobody"},
		{"json result", `{"v":1,"claim":"perfect"}`, "claim"},
		{"json submission", `{"v":1}`, "effect"},
		{"json findings", `[{}]`, "evidence_ref"},
		{"json session", `{"agent_summary":{}}`, "session"},
	} {
		found := readers[c.info](t, block{text: []byte(c.text)})
		if !strings.Contains(strings.Join(found, "\n"), c.want) {
			t.Errorf("%s %q: %q, want %q", c.info, c.text, found, c.want)
		}
	}
	found, wrong := blocks("x.md", "a\n\n    indented\n\n```sh\nopen\n")
	if len(found) != 0 || len(wrong) != 2 {
		t.Errorf("%v, %v", found, wrong)
	}
}

func faults(err error) []string {
	if err == nil {
		return nil
	}
	return []string{err.Error()}
}

func refused(bad *wire.Error) []string {
	if bad == nil {
		return nil
	}
	return faults(bad)
}

func problems(list []wire.ConfigProblem) (out []string) {
	for _, p := range list {
		out = append(out, fmt.Sprintf("line %d: %s", p.Line, p.Message))
	}
	return out
}

// workflowFaults lints a workflow, beside the profiles of the configurations in the
// same file.
func workflowFaults(_ testing.TB, b block) (out []string) {
	text, _ := os.ReadFile(b.file)
	beside, _ := blocks(b.file, string(text))
	known := func(name string) bool {
		return agent.IsShipped(name) || slices.ContainsFunc(beside, func(c block) bool {
			_, ok := config.ParseProject(c.file, c.text).Agents.Get(name)
			return ok && c.info == "yaml project"
		})
	}
	_, found := workflow.Lint(b.text, func(w workflow.Workflow) (out []workflow.Mistake) {
		for _, r := range w.Roles {
			for _, name := range r.Value.Agents {
				if !known(name) {
					out = append(out, workflow.Mistake{Path: "roles." + r.Key, Msg: "there is no agent " + name})
				}
			}
		}
		return out
	})
	for _, e := range found {
		out = append(out, e.Error())
	}
	return out
}

// sessionFaults reads the member session of a result.
func sessionFaults(_ testing.TB, b block) []string {
	r, err := agent.ParseResult(fmt.Appendf(nil, `{"v":1,"claim":"done","session":%s}`, b.text))
	if err == nil && r.BadSession != "" {
		err = errors.New(r.BadSession)
	}
	return faults(err)
}

// shellFaults parses a script, and runs the calls of apctl in it up to where they would
// reach a daemon.
func shellFaults(t testing.TB, b block) (out []string) {
	for _, call := range apctlCalls(string(b.text), func(err error) { out = append(out, err.Error()) }) {
		if fault := dryCall(t, call); fault != "" {
			out = append(out, fmt.Sprintf("apctl %s: %s", strings.Join(call, " "), fault))
		}
	}
	return out
}

// apctlCalls are the arguments of each call of apctl in a script.
func apctlCalls(script string, bad func(error)) (calls [][]string) {
	f, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		bad(err)
		return nil
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == "apctl" {
			var words []string
			for _, w := range c.Args[1:] {
				words = append(words, plain(w))
			}
			calls = append(calls, words)
		}
		return true
	})
	return calls
}

// plain is a word without its quotes. What a shell would put in stays as it is written.
func plain(w *syntax.Word) string {
	b := &strings.Builder{}
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(plain(&syntax.Word{Parts: p.Parts}))
		default:
			b.WriteString("X")
		}
	}
	return b.String()
}

// parsed finds the command of a call in the tree, and its flags.
func parsed(args []string) (*cobra.Command, []string, error) {
	root := ctl.Commands(ctl.World{})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return nil, nil, err
	}
	cmd.InitDefaultHelpFlag()
	if cmd.DisableFlagParsing {
		return cmd, rest, nil
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return nil, nil, err
	}
	if rest = cmd.Flags().Args(); len(rest) > 0 && cmd.HasSubCommands() {
		return nil, nil, fmt.Errorf("unknown command %q for %q", rest[0], cmd.CommandPath())
	}
	return cmd, rest, nil
}

// dryCall runs a call where no daemon is, and says what is wrong with it: what only a
// daemon could judge is right. Commands that change the host are parsed alone.
func dryCall(t testing.TB, args []string) string {
	cmd, rest, err := parsed(args)
	if err != nil {
		return err.Error()
	}
	if p := cmd.Parent(); p != nil && (p.Name() == "daemon" || p.Name() == "hook") {
		return strings.Join(faults(cmd.ValidateArgs(rest)), "")
	}
	dir, said := t.TempDir(), &bytes.Buffer{}
	code := ctl.Main(t.Context(), ctl.World{
		Args: args, Dir: dir, Version: "test", In: strings.NewReader("text"), Environ: []string{"PATH=/bin", "HOME=" + dir, "LANG=C.UTF-8"},
		Out: ctl.Output{Writer: io.Discard}, Err: ctl.Output{Writer: said}, Now: time.Now, Zone: time.UTC,
		Notify: func(chan<- os.Signal) func() { return func() {} },
		Connect: func(context.Context, bool) (ctl.Daemon, error) {
			return nil, wire.Errorf(wire.Unreachable, "there is none")
		},
		Program: func() (string, error) { return "/bin/apctl", nil },
		FindPlaces: func() (place.Places, error) {
			return place.Places{State: dir, Socket: filepath.Join(dir, "d.sock")}, nil
		},
		Examine:  func(context.Context, string) (wire.DoctorView, error) { return wire.DoctorView{}, nil },
		Alive:    func(int) bool { return false },
		Terminal: func() (io.ReadWriteCloser, error) { return nil, errors.New("there is none") },
	})
	if code == wire.ExitUsage && !strings.Contains(said.String(), "no such file or directory") { // files are the reader's
		return fmt.Sprintf("exit %d: %s", code, said)
	}
	return ""
}
