package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/coord/queue"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	folded "autopilot/projections/queue"
)

// Bounds and defaults of queues.
const (
	queueParallel   = 16
	queueBatch      = 16
	queueTries      = 2 // of lost runs, and of landings that send an item back
	queueAddedAtOne = 200
	queueItems      = 20_000
)

// QueueNew creates a queue, with the items of a file if there is one.
func (a *Queues) QueueNew(ctx context.Context, q auth.Request, body wire.QueueNewRequest) (wire.QueueView, error) {
	ws, err := tree.Find(ctx, body.Workspace)
	if err != nil {
		return wire.QueueView{}, wire.Errorf(wire.NotFound, "%s is not in a git work tree, so it has no queue", body.Workspace).WithHint("cd to one")
	}
	created, set, err := a.created(ctx, ws, body)
	if err != nil {
		return wire.QueueView{}, err
	}
	var items []wire.QueueItemSpec
	if body.File != nil {
		var defaults wire.StartRequest
		if items, defaults, err = readItems(*body.File); err != nil {
			return wire.QueueView{}, err
		}
		if body.Defaults.Spec, err = overlaid(defaults.Spec, body.Defaults.Spec); err != nil {
			return wire.QueueView{}, err
		}
		set.File = body.File.Path
	}
	if set.Defaults, err = json.Marshal(body.Defaults); err != nil {
		return wire.QueueView{}, fmt.Errorf("store what a queue was created with: %w", err)
	}
	if created.Settings, err = a.putJSON(ctx, set); err != nil {
		return wire.QueueView{}, err
	}
	stands, err := a.Queue.Create(ctx, created, q.Actor, q.ID)
	if errors.Is(err, folded.ErrTaken) {
		return wire.QueueView{}, wire.Errorf(wire.Conflict, "this project has a queue %s already", body.Name).
			WithHint("apctl queue add %s TASK   adds to it; apctl queue ls   lists the queues", body.Name)
	}
	if err != nil {
		return wire.QueueView{}, err
	}
	return a.add(ctx, q, stands, items)
}

// created checks what a queue is to be.
func (a *Queues) created(ctx context.Context, ws tree.Workspace, body wire.QueueNewRequest) (d events.QueueCreated, set stored.Queue, err error) {
	d = events.QueueCreated{
		Name: events.Name(body.Name), Project: ws.ID, Land: cmp.Or(body.Land, events.LandBranch), Batch: body.Batch,
		Deliveries: tries(body.Deliveries), Returns: tries(body.Returns),
	}
	set = stored.Queue{Type: stored.TypeQueue, How: body.How, Repository: body.Repository, Label: body.Label}
	_, ref, err := ws.Head()
	if err != nil {
		return d, set, fmt.Errorf("read HEAD of %s: %w", ws.Path, err)
	}
	branch := strings.TrimPrefix(ref, "refs/heads/")
	target := body.Target
	switch {
	case !d.Name.Valid():
		return d, set, wire.Errorf(wire.Usage, "%.60q is no name of a queue", body.Name).WithHint("a name has lower-case letters, digits, - and _")
	case body.Label != "" && body.Repository == "":
		return d, set, wire.Errorf(wire.Usage, "no remote of %s names the repository of label %q", ws.Path, body.Label).WithHint("git remote add origin ADDRESS   names it")
	case d.Land == events.LandPR && body.Batch > 1:
		return d, set, wire.Errorf(wire.Usage, "each pull request has one item, so --batch does not go with --land pr")
	case body.Batch < 0 || body.Batch > queueBatch:
		return d, set, wire.Errorf(wire.Usage, "%d items cannot land at once; the limit is %d", body.Batch, queueBatch)
	case d.Land == events.LandNone:
		target = ""
	case d.Land == events.LandBranch && target == "":
		target = wire.WorktreeRoot + "/queue-" + body.Name
	case target == "" && branch == "":
		return d, set, wire.Errorf(wire.Usage, "no branch is checked out in %s, so the target is unknown", ws.Path).WithHint("--target BRANCH names it")
	case target == "":
		target = branch
	}
	if set.Base = branch; d.Land == events.LandMerge {
		if err := a.mayMerge(ws, target); err != nil {
			return d, set, err
		}
	}
	if target != "" {
		if d.Target, err = a.Blobs.Put(ctx, []byte(target)); err != nil {
			return d, set, err
		}
	}
	d.Workspace, err = a.Blobs.Put(ctx, []byte(ws.Path))
	return d, set, err
}

// tries is a number of tries as a caller gives it: 0 is the default, and -1 none.
func tries(n int) int {
	if n == 0 {
		return queueTries
	}
	return max(n, 0)
}

// QueueList lists queues.
func (a *Queues) QueueList(ctx context.Context, _ auth.Request, body wire.QueueListRequest) (wire.QueuesView, error) {
	v := wire.QueuesView{Queues: []wire.QueueView{}}
	project := ""
	if !body.All {
		ws, err := tree.Find(ctx, body.Workspace)
		if err != nil {
			return v, wire.Errorf(wire.NotFound, "%s is not in a git work tree", body.Workspace).WithHint("apctl queue ls --all   lists the queues of all projects")
		}
		project = ws.ID
	}
	for _, q := range a.Queue.List() {
		if project == "" || q.Project == project {
			short := a.queueView(q)
			short.Items = nil
			v.Queues = append(v.Queues, short)
		}
	}
	return v, nil
}

// QueueShow shows a queue with its items.
func (a *Queues) QueueShow(ctx context.Context, _ auth.Request, body wire.QueueRef) (wire.QueueView, error) {
	s, err := a.find(ctx, body)
	if err != nil {
		return wire.QueueView{}, err
	}
	return a.queueView(s), nil
}

// QueueOpen has a queue worked off.
func (a *Queues) QueueOpen(ctx context.Context, q auth.Request, body wire.QueueOpenRequest) (wire.QueueView, error) {
	s, err := a.find(ctx, body.QueueRef)
	if err != nil {
		return wire.QueueView{}, err
	}
	d := events.QueueOpened{Parallel: max(body.Parallel, 1), UntilMS: body.UntilMS, MaxMicroUSD: body.MaxMicroUSD}
	if d.Parallel > queueParallel {
		return wire.QueueView{}, wire.Errorf(wire.Usage, "%d runs at once; the limit is %d", d.Parallel, queueParallel)
	}
	if d.UntilMS > 0 && !time.Now().Before(time.UnixMilli(d.UntilMS)) {
		return wire.QueueView{}, wire.Errorf(wire.Usage, "its time would be over before it begins")
	}
	ws, err := tree.Find(ctx, a.Text(s.Workspace))
	if err != nil {
		return wire.QueueView{}, wire.Errorf(wire.NotFound, "the work tree %s of queue %s is gone", a.Text(s.Workspace), s.Name)
	}
	if _, err := a.projects.Usable(ws, body.Settings, body.NoConfig); err != nil {
		return wire.QueueView{}, err
	}
	if s.Land == events.LandMerge {
		if err := a.mayMerge(ws, a.Text(s.Target)); err != nil {
			return wire.QueueView{}, err
		}
	}
	caller := queue.Caller{Env: body.Env, Settings: body.Settings, NoConfig: body.NoConfig, Chat: a.Chats.Behind(q)}
	if err := a.Queue.KeepCaller(s.ID, caller); err != nil {
		return wire.QueueView{}, err
	}
	s, err = a.Queue.Decide(ctx, s.ID, func(now folded.State) (events.Data, error) {
		d, err := folded.Open(now, d)
		return d, err
	}, q.Actor, q.ID)
	if err != nil && !errors.Is(err, folded.ErrOpen) {
		return wire.QueueView{}, a.queueFault(s, err)
	}
	return a.queueView(s), nil
}

// QueuePause starts no more items. Runs under way go on.
func (a *Queues) QueuePause(ctx context.Context, q auth.Request, body wire.QueueRef) (wire.QueueView, error) {
	return a.decide(ctx, q, body, func(now folded.State) (events.Data, error) {
		d, err := folded.Close(now, events.QueuePaused)
		return d, err
	})
}

// QueueRemove takes an item out of a queue. Its run goes on.
func (a *Queues) QueueRemove(ctx context.Context, q auth.Request, body wire.QueueItemRequest) (wire.QueueView, error) {
	return a.decide(ctx, q, body.QueueRef, func(now folded.State) (events.Data, error) {
		d, err := folded.Remove(now, itemNamed(now, body.Item))
		return d, err
	})
}

// QueueRetry tries an item anew that has stopped.
func (a *Queues) QueueRetry(ctx context.Context, q auth.Request, body wire.QueueItemRequest) (wire.QueueView, error) {
	return a.decide(ctx, q, body.QueueRef, func(now folded.State) (events.Data, error) {
		d, err := folded.Retry(now, itemNamed(now, body.Item))
		return d, err
	})
}

func (a *Queues) decide(ctx context.Context, q auth.Request, ref wire.QueueRef, f func(folded.State) (events.Data, error)) (wire.QueueView, error) {
	s, err := a.find(ctx, ref)
	if err != nil {
		return wire.QueueView{}, err
	}
	if s, err = a.Queue.Decide(ctx, s.ID, f, q.Actor, q.ID); err != nil {
		return wire.QueueView{}, a.queueFault(s, err)
	}
	return a.queueView(s), nil
}

// itemNamed is the name of an item that was given by name or number.
func itemNamed(s folded.State, text string) events.Name {
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= len(s.Items) {
		if _, named := s.Get(events.Name(text)); !named {
			return s.Items[n-1].Name
		}
	}
	return events.Name(text)
}

// find resolves the queue of a request.
func (a *Queues) find(ctx context.Context, ref wire.QueueRef) (queue.Queue, error) {
	project := ""
	if ref.Workspace != "" {
		if ws, err := tree.Find(ctx, ref.Workspace); err == nil {
			project = ws.ID
		}
	}
	var found []queue.Queue
	for _, q := range a.Queue.List() {
		here := project == "" || q.Project == project
		switch {
		case ref.Queue == "" && here, string(q.Name) == ref.Queue && here:
			return q, nil
		case ref.Queue != "" && len(ref.Queue) >= 4 && strings.HasSuffix(strings.ToLower(q.ID), strings.ToLower(ref.Queue)):
			found = append(found, q)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case ref.Queue == "":
		return queue.Queue{}, wire.Errorf(wire.NotFound, "this project has no queue").WithHint("apctl queue new NAME   creates one")
	}
	return queue.Queue{}, wire.Errorf(wire.NotFound, "this project has no queue %.60q", ref.Queue).WithHint("apctl queue ls --all   lists the queues")
}

// queueFault words a refusal of the fold.
func (a *Queues) queueFault(s queue.Queue, err error) error {
	_, about, _ := strings.Cut(err.Error(), ": ")
	show := fmt.Sprintf("apctl queue show %s   shows it", s.Name)
	for _, m := range []struct {
		err  error
		code wire.Code
		text string
	}{
		{folded.ErrNoItem, wire.NotFound, "queue %s has no item %s"},
		{folded.ErrTaken, wire.Conflict, "queue %s has an item %s already"},
		{folded.ErrItself, wire.Usage, "queue %s: item %s cannot wait for itself"},
		{folded.ErrItem, wire.Conflict, "queue %s: %s"},
		{folded.ErrClosed, wire.Conflict, "queue %s starts nothing now%s"},
	} {
		if errors.Is(err, m.err) {
			return wire.Errorf(m.code, m.text, s.Name, about).WithHint("%s", show)
		}
	}
	return err
}

func (a *Queues) putJSON(ctx context.Context, v any) (events.Ref, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	return a.Blobs.Put(ctx, b)
}
