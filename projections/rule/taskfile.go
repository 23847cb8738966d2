package rule

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// taskPart reads a Taskfile: its tasks can be left out of what is compared; all
// else steers.
func taskPart(data []byte) (parsedPart, bool) {
	var doc yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(data, &doc, yaml.UseOrderedMap()); err != nil {
		return parsedPart{}, false
	}
	p := parsedPart{first: "default"}
	for _, m := range doc {
		key := fmt.Sprint(m.Key)
		tasks, ok := m.Value.(yaml.MapSlice)
		if key != "tasks" || !ok {
			p.items = append(p.items, item{text: key + ": " + yamlText(m.Value), always: true})
			continue
		}
		for _, t := range tasks {
			name := fmt.Sprint(t.Key)
			it := item{text: name + ": " + yamlText(t.Value), names: []string{name}}
			taskLinks(t.Value, &it)
			p.items = append(p.items, it)
		}
	}
	return p, true
}

func yamlText(v any) string {
	b, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// taskLinks finds the tasks that a task leads to: its deps, and steps that are
// a task.
func taskLinks(v any, it *item) {
	switch v := v.(type) {
	case yaml.MapSlice:
		for _, m := range v {
			switch key := fmt.Sprint(m.Key); key {
			case "deps":
				if list, ok := m.Value.([]any); ok {
					for _, d := range list {
						if name, ok := d.(string); ok {
							it.needs = append(it.needs, name)
						}
					}
				}
			case "task":
				if name, ok := m.Value.(string); ok {
					it.needs = append(it.needs, name)
				}
			case "aliases":
				if list, ok := m.Value.([]any); ok {
					for _, a := range list {
						it.names = append(it.names, fmt.Sprint(a))
					}
				}
			default:
			}
			taskLinks(m.Value, it)
		}
	case []any:
		for _, e := range v {
			taskLinks(e, it)
		}
	}
}

// taskCommands are the command lines of the tasks that are reached.
func taskCommands(data []byte, reached map[string]bool) []string {
	var doc struct {
		Tasks map[string]any `yaml:"tasks"`
	}
	if yaml.Unmarshal(data, &doc) != nil {
		return nil
	}
	var out []string
	for name, t := range doc.Tasks {
		if reached[name] {
			out = append(out, yamlStrings(t)...)
		}
	}
	return out
}

func yamlStrings(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, yamlStrings(e)...)
		}
		return out
	case map[string]any:
		var out []string
		for key, e := range v {
			if key == "cmd" || key == "cmds" || key == "deps" {
				out = append(out, yamlStrings(e)...)
			}
		}
		return out
	}
	return nil
}

// denoPart reads deno.json: its tasks can be left out of what is compared, and
// what steers neither tests nor modules.
func denoPart(data []byte) (parsedPart, bool) {
	var doc struct {
		Tasks map[string]jsontext.Value `json:"tasks"`
		Test  jsontext.Value            `json:"test"`
		Links jsontext.Value            `json:"links"`
		Patch jsontext.Value            `json:"patch"`
		Maps  jsontext.Value            `json:"importMap"`
		Opts  jsontext.Value            `json:"compilerOptions"`
	}
	if err := json.Unmarshal(uncommented(data), &doc); err != nil {
		return parsedPart{}, false
	}
	p := parsedPart{}
	for name, body := range doc.Tasks {
		p.items = append(p.items, item{text: name + ": " + canonical(body), names: []string{name}, needs: wordPattern.FindAllString(string(body), -1)})
	}
	sortItems(p.items)
	for i, v := range []jsontext.Value{doc.Test, doc.Links, doc.Patch, doc.Maps, doc.Opts} {
		p.items = append(p.items, item{text: fmt.Sprint(i, canonical(v)), always: true})
	}
	return p, true
}
