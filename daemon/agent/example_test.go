package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"autopilot/daemon/agent"
)

// An agent that gives up at first, and then writes what was asked for.
func ExampleRunScript() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	script, err := agent.ParseScript([]byte(`
iterations:
  - print: [cannot do it]
    exit: 1
  - edit:
      hello.txt: |
        hello
    run: ["cat hello.txt"]
    result: {claim: done, summary: said hello}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result := filepath.Join(dir, "result.json")
	for _, iteration := range []string{"1", "2"} {
		env := append(os.Environ(), agent.EnvIteration+"="+iteration, agent.EnvResultFile+"="+result)
		exit := agent.RunScript(context.Background(), script, env, dir, os.Stdout, os.Stderr)
		fmt.Println("exit", exit)
	}
	text, err := os.ReadFile(result)
	fmt.Print(string(text), err)
	// Output:
	// cannot do it
	// exit 1
	// hello
	// exit 0
	// {"claim":"done","summary":"said hello","v":1}
	// <nil>
}
