package api

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/config/queuefile"
	"autopilot/daemon/coord/queue"
	"autopilot/daemon/regular"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	folded "autopilot/projections/queue"
	"autopilot/projections/slug"
)

// QueueAdd adds items to a queue.
func (a *Queues) QueueAdd(ctx context.Context, q auth.Request, body wire.QueueAddRequest) (wire.QueueView, error) {
	stands, err := a.find(ctx, body.QueueRef)
	if err != nil {
		return wire.QueueView{}, err
	}
	items := body.Items
	if body.File != nil {
		if items, _, err = readItems(*body.File); err != nil {
			return wire.QueueView{}, err
		}
	}
	if len(items) == 0 {
		return wire.QueueView{}, wire.Errorf(wire.Usage, "nothing to add").WithHint("apctl queue add %s TASK", stands.Name)
	}
	return a.add(ctx, q, stands, items)
}

// add stores items, a few hundred with each event.
func (a *Queues) add(ctx context.Context, q auth.Request, s queue.Queue, list []wire.QueueItemSpec) (wire.QueueView, error) {
	if len(s.Items)+len(list) > queueItems {
		return wire.QueueView{}, wire.Errorf(wire.Usage, "a queue has at most %d items", queueItems)
	}
	named := nameItems(s.State, list)
	for len(named) > 0 {
		n := min(len(named), queueAddedAtOne)
		var items []events.QueueItem
		for _, i := range named[:n] {
			item, err := a.storedItem(ctx, q, i)
			if err != nil {
				return wire.QueueView{}, err
			}
			items = append(items, item)
		}
		var err error
		s, err = a.Queue.Decide(ctx, s.ID, func(now folded.State) (events.Data, error) {
			d, err := folded.Add(now, items)
			return d, err
		}, q.Actor, q.ID)
		if err != nil {
			return wire.QueueView{}, a.queueFault(s, err)
		}
		named = named[n:]
	}
	return a.queueView(s), nil
}

// nameItems names items that have no name by their task or issue.
func nameItems(s folded.State, list []wire.QueueItemSpec) []wire.QueueItemSpec {
	out, taken := make([]wire.QueueItemSpec, len(list)), map[string]bool{}
	for _, i := range s.Items {
		taken[string(i.Name)] = true
	}
	for _, i := range list {
		taken[i.Name] = true
	}
	for n, i := range list {
		if i.Name == "" {
			base := slug.Of(i.Start.Spec.Task, slug.Branch)
			if issue, err := wire.ParseIssue(i.Start.Spec.Issue); err == nil && i.Start.Spec.Issue != "" {
				base = "issue-" + strconv.Itoa(issue.Number)
			}
			for k := 1; i.Name == "" || taken[i.Name]; k++ {
				if i.Name = base; k > 1 {
					i.Name = fmt.Sprintf("%s-%d", base, k)
				}
			}
			taken[i.Name] = true
		}
		out[n] = i
	}
	return out
}

// storedItem checks an item, and stores its request.
func (a *Queues) storedItem(ctx context.Context, q auth.Request, i wire.QueueItemSpec) (events.QueueItem, error) {
	item := events.QueueItem{Name: events.Name(i.Name)}
	bad := func(format string, args ...any) *wire.Error {
		return wire.Errorf(wire.Usage, "item %.60q: %s", i.Name, fmt.Sprintf(format, args...))
	}
	if !item.Name.Valid() {
		return item, bad("it is no name").WithHint("a name has lower-case letters, digits, - and _")
	}
	for _, on := range i.After {
		name := events.Name(strings.TrimPrefix(strings.Replace(on, "#", "issue-", 1), "issue-issue-"))
		if !name.Valid() {
			return item, bad("it cannot wait for %.60q", on)
		}
		item.After = append(item.After, name)
	}
	var ok bool
	if item.Priority, ok = events.ParsePriority(cmp.Or(i.Start.Spec.Priority, "normal")); !ok {
		return item, bad("priority %q; it is low, normal or high", i.Start.Spec.Priority)
	}
	if i.Start.Spec.Issue != "" {
		issue, err := wire.ParseIssue(i.Start.Spec.Issue)
		if err != nil {
			return item, bad("issue %q; it is 24 or OWNER/NAME#24", i.Start.Spec.Issue)
		}
		item.Issue = issue.Number
	}
	if strings.TrimSpace(i.Start.Spec.Task) == "" && i.Start.Spec.TaskRef == "" && i.Start.Spec.Workflow == "" {
		return item, bad("it has no task")
	}
	raw, err := json.Marshal(i.Start)
	if err != nil {
		return item, err
	}
	item.Spec, err = a.putJSON(ctx, stored.Item{Type: stored.TypeItem, Start: raw, Chat: a.Chats.Behind(q), Line: i.Line})
	return item, err
}

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
