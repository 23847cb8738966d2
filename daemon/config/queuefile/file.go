package queuefile

import (
	"fmt"
	"path/filepath"
	"strings"

	"autopilot/daemon/config"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
)

// File is what a file asks for.
type File struct {
	Defaults Item   `yaml:"defaults"`
	Items    []Item `yaml:"items"`
}

// Item is a task, with the keys of .autopilot/config.yaml for what a run may set.
type Item struct {
	Name             string                      `yaml:"name"`
	Task             string                      `yaml:"task"`
	File             string                      `yaml:"file"` // with the task, relative to the file of the queue
	Issue            string                      `yaml:"issue"`
	After            []string                    `yaml:"after"`
	Priority         string                      `yaml:"priority"`
	Workflow         string                      `yaml:"workflow"`
	Agent            string                      `yaml:"agent"`
	AgentCommand     string                      `yaml:"agent_cmd"`
	Model            string                      `yaml:"model"`
	Gates            strictyaml.Map[config.Gate] `yaml:"gates"`
	Inputs           map[string]string           `yaml:"inputs"`
	Setup            string                      `yaml:"setup"`
	Checkout         string                      `yaml:"checkout"`
	Protect          []string                    `yaml:"protect"`
	AllowTestChanges []string                    `yaml:"allow_test_changes"`
	Limits           Limits                      `yaml:"limits"`

	Line string `yaml:"-"` // of a task list
}

// Limits end the run of an item. Zero is not set.
type Limits struct {
	For        config.Hours  `yaml:"hours"`
	Iterations int           `yaml:"iterations"`
	USD        config.USD    `yaml:"usd"`
	Tokens     config.Tokens `yaml:"tokens"`
	Turns      int           `yaml:"turns"`
}

// Parse reads a file, by its name: .md and .markdown are task lists, all else is YAML, which
// JSON is too. Errors name the line.
func Parse(path, text string) (File, error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".md" || ext == ".markdown" {
		return tasks(path, text)
	}
	doc, err := strictyaml.Parse([]byte(text))
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	var f File
	if err := doc.Decode(&f); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(f.Items) == 0 {
		return File{}, fmt.Errorf("%s has no items", path)
	}
	for n, i := range f.Items {
		if err := i.check(); err != nil {
			line, _, _ := doc.Place(fmt.Sprintf("items.%d", n))
			return File{}, fmt.Errorf("%s:%d: item %d: %w", path, line, n+1, err)
		}
	}
	if err := f.Defaults.checkWords(); err != nil {
		return File{}, fmt.Errorf("%s: defaults: %w", path, err)
	}
	return f, nil
}

func (i Item) check() error {
	given := 0
	for _, text := range []string{i.Task, i.File} {
		if strings.TrimSpace(text) != "" {
			given++
		}
	}
	if given != 1 {
		return fmt.Errorf("it has %d of task and file; it needs one", given)
	}
	return i.checkWords()
}

func (i Item) checkWords() error {
	if i.Name != "" && !events.Name(i.Name).Valid() {
		return fmt.Errorf("name %q: a name has lower-case letters, digits, - and _", i.Name)
	}
	if _, ok := events.ParsePriority(i.Priority); !ok && i.Priority != "" {
		return fmt.Errorf("priority %q: it is low, normal or high", i.Priority)
	}
	return nil
}
