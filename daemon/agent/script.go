package agent

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/strictyaml"
)

// Script is what the script agent does.
type Script struct {
	Iterations []Step `yaml:"iterations"`
}

// Step is one iteration of a script.
type Step struct {
	Edit   map[string]string `yaml:"edit"`  // path in the workspace -> whole text
	Rm     []string          `yaml:"rm"`    // paths in the workspace
	Run    []string          `yaml:"run"`   // shell commands
	Print  []string          `yaml:"print"` // lines on stdout
	Sleep  time.Duration     `yaml:"sleep"`
	Exit   int               `yaml:"exit"` // 0 to 255
	Result map[string]any    `yaml:"result"`
}

// ParseScript reads a script. The error is a *strictyaml.Error.
func ParseScript(src []byte) (Script, error) {
	doc, err := strictyaml.Parse(src)
	if err != nil {
		return Script{}, err
	}
	var s Script
	if err := doc.Decode(&s); err != nil {
		return Script{}, err
	}
	if len(s.Iterations) == 0 {
		return Script{}, doc.Errorf("iterations", "add iterations: with one entry", "the script has no iteration")
	}
	for i, step := range s.Iterations {
		at := fmt.Sprintf("iterations.%d", i)
		for _, name := range slices.Sorted(maps.Keys(step.Edit)) {
			if fix := badPath(name); fix != "" {
				return Script{}, doc.Errorf(at+".edit."+name, fix, "%q is not a path in the workspace", name)
			}
		}
		for j, name := range step.Rm {
			if fix := badPath(name); fix != "" {
				return Script{}, doc.Errorf(fmt.Sprintf("%s.rm.%d", at, j), fix, "%q is not a path in the workspace", name)
			}
		}
		for j, text := range step.Run {
			if strings.ContainsRune(text, 0) {
				return Script{}, doc.Errorf(fmt.Sprintf("%s.run.%d", at, j), "remove it", "the command contains a NUL byte")
			}
		}
		if step.Exit < 0 || step.Exit > 255 {
			return Script{}, doc.Errorf(at+".exit", "write a number from 0 to 255", "exit is %d", step.Exit)
		}
	}
	return s, nil
}

// Step is what iteration n, from 1, does: the last one repeats.
func (s Script) Step(n int) Step {
	return s.Iterations[min(n, len(s.Iterations))-1]
}

// badPath is the fix for a path that is refused, or "".
func badPath(name string) string {
	const relative = "write it relative to the workspace"
	clean := path.Clean(name)
	switch {
	case name == "", strings.ContainsRune(name, 0):
		return "write a path"
	case path.IsAbs(name), strings.HasPrefix(name, "~"):
		return relative
	case clean == ".":
		return "name a file in it"
	case clean == "..", strings.HasPrefix(clean, "../"):
		return "stay within the workspace"
	}
	return ""
}
