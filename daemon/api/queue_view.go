package api

import (
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/config"
	"autopilot/daemon/coord/queue"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	folded "autopilot/projections/queue"
)

// queueNew is the state of a queue that was never opened.
const queueNew = "new"

// queueView shows a queue with its items.
func (a *Queues) queueView(q queue.Queue) wire.QueueView {
	v := wire.QueueView{
		ID: q.ID, Name: q.Name, Directory: a.Text(q.Workspace), State: string(q.Closed), Land: q.Land, Target: a.Text(q.Target), Batch: q.Batch,
		CreatedMS: q.Created.UnixMilli(), By: q.By, Counts: map[string]int{}, LaneStopped: q.Lane.Stopped, Unresolved: q.Unresolved(),
		Trying: map[string]string{},
	}
	if set, err := a.settings(q); err == nil {
		v.How, v.File = set.How, set.File
	}
	switch {
	case q.Open != nil:
		v.State, v.Parallel, v.UntilMS = wire.QueueIsOpen, q.Open.Parallel, q.Open.UntilMS
	case v.State == "":
		v.State = queueNew
	}
	v.Next = q.Ready(time.Now())
	for name, why := range a.Queue.Tries(q.ID) {
		if name == "" {
			name = "landing"
		}
		v.Trying[string(name)] = why
	}
	v.Landing = a.handleOf(q.Lane.Run)
	for n, st := range folded.Standings(q.State) {
		i := q.Items[n]
		v.Counts[string(st.Standing)]++
		if st.Standing != folded.IsRemoved {
			v.Items = append(v.Items, a.queueItem(i, st))
		}
	}
	return v
}

func (a *Queues) queueItem(i folded.Item, st folded.Stands) wire.QueueItemView {
	v := wire.QueueItemView{
		No: i.No, Name: i.Name, State: string(st.Standing), On: st.On, After: i.After, Issue: i.Issue, Runs: len(i.Runs), Returns: i.Returns,
		Commit: i.Commit, Run: a.handleOf(i.Run), Checked: a.handleOf(i.Checked), Detail: landDetail(a.Text(i.Detail)),
	}
	if i.Priority != events.PriorityNormal {
		v.Priority = i.Priority.String()
	}
	var item stored.Item
	var req wire.StartRequest
	if json.Unmarshal([]byte(a.Text(i.Spec)), &item) == nil && json.Unmarshal(item.Start, &req) == nil {
		v.Task = OneLine(req.Spec.Task)
	}
	if s, ok := a.Fleet.State(i.Run); ok && (i.Stage == folded.Running || i.Stage == folded.Stopped) {
		v.RunState = a.View(s).State
	}
	return v
}

func (a *Queues) handleOf(id string) string {
	if s, ok := a.Fleet.State(id); ok && id != "" {
		return s.Facts.Handle
	}
	return ""
}

// mayMerge refuses a merge into a branch that nobody has agreed to: the settings name it,
// and a person has trusted those.
func (a *Queues) mayMerge(ws tree.Workspace, target string) error {
	l, err := a.projects.Usable(ws, nil, false)
	if err != nil {
		return err
	}
	for _, branch := range l.LandInto() {
		if branch == target {
			return nil
		}
	}
	return wire.Errorf(wire.NeedsPerson, "nobody has agreed that work is merged into branch %s", target).
		WithHint("write land: {into: [%s]} into %s, then\napctl trust   asks a person for it", target, config.ProjectPath("."))
}

// queuesInNeed are the queues that wait for a person.
func (a *Views) queuesInNeed() []wire.InboxItem {
	var out []wire.InboxItem
	l := a.ScreenLanguage()
	for _, q := range a.Queue.List() {
		what := explain.Queue(l, q.State)
		if what == "" {
			continue
		}
		since := q.Created
		for _, i := range q.Items {
			if i.Ended.After(since) {
				since = i.Ended
			}
		}
		out = append(out, wire.InboxItem{
			Kind: explain.NeedsQueue, At: since, Workspace: a.Text(q.Workspace), What: what, Language: string(l),
			Next: wire.NextCommand{Command: "apctl queue show " + string(q.Name), Why: "shows its items, and what to do"},
		})
	}
	return out
}
