package api

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/daemon/config"
	"autopilot/daemon/config/queuefile"
	"autopilot/daemon/regular"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/wire"
)

// readItems are the items of a file, and what they have in common.
func readItems(f wire.QueueFile) (items []wire.QueueItemSpec, defaults wire.StartRequest, err error) {
	file, err := queuefile.Parse(f.Path, f.Text)
	if err != nil {
		return nil, defaults, wire.Errorf(wire.Usage, "%v", err)
	}
	if defaults, err = itemRequest(f.Path, file.Defaults); err != nil {
		return nil, defaults, err
	}
	for _, i := range file.Items {
		start, err := itemRequest(f.Path, i)
		if err != nil {
			return nil, defaults, err
		}
		items = append(items, wire.QueueItemSpec{Name: i.Name, After: i.After, Start: start, Line: i.Line})
	}
	return items, defaults, nil
}

// itemRequest is the request of an item.
func itemRequest(path string, i queuefile.Item) (q wire.StartRequest, err error) {
	task := i.Task
	if i.File != "" {
		at := i.File
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(path), at)
		}
		text, err := regular.Read(at, maxTask)
		if err == nil && len(text) > maxTask {
			err = fmt.Errorf("it has more than %d bytes", maxTask)
		}
		if err != nil {
			return q, wire.Errorf(wire.Usage, "%s names a task that cannot be read: %v", path, err)
		}
		task = string(text)
	}
	q.Spec = wire.RunSpec{
		Task: task, Issue: i.Issue, Priority: i.Priority, Workflow: i.Workflow, Inputs: i.Inputs, Setup: i.Setup,
		Checkout: events.Checkout(i.Checkout), Protect: i.Protect, AllowTests: i.AllowTestChanges, Gates: fileGates(i.Gates),
		Agent: wire.AgentSpec{Profile: i.Agent, Command: i.AgentCommand, Model: i.Model},
		ForMS: time.Duration(i.Limits.For).Milliseconds(), MaxIterations: i.Limits.Iterations, MaxMicroUSD: int64(i.Limits.USD),
		MaxTokens: int64(i.Limits.Tokens), MaxTurns: i.Limits.Turns,
	}
	return q, nil
}

func fileGates(m strictyaml.Map[config.Gate]) (out []wire.GateSpec) {
	for _, g := range m {
		spec := wire.GateSpec{Name: events.Name(g.Key), Role: g.Value.Role, Command: g.Value.Run, Files: g.Value.Artifact}
		if len(spec.Files) > 0 {
			spec.Kind = events.GateArtifact
		}
		out = append(out, spec)
	}
	return out
}

// maxTask is the longest task in a file of its own, in bytes.
const maxTask = 256 << 10

// overlaid is a run as an item wants it, over what its queue has for all items. A member
// that the item has takes the place of the one of the queue.
func overlaid(under, over wire.RunSpec) (out wire.RunSpec, err error) {
	members := map[string]jsontext.Value{}
	for _, spec := range []wire.RunSpec{under, over} {
		b, err := json.Marshal(spec)
		if err != nil {
			return out, err
		}
		var own map[string]jsontext.Value
		if err := json.Unmarshal(b, &own); err != nil {
			return out, err
		}
		for name, value := range own {
			if text := strings.TrimSpace(string(value)); text != `""` && text != "[]" && text != "null" && text != "{}" {
				members[name] = value
			}
		}
	}
	b, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	return out, err
}
