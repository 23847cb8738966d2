package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/config/queuefile"
	"autopilot/daemon/coord/queue"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/regular"
	"autopilot/daemon/repo/land"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	folded "autopilot/projections/queue"
	"autopilot/projections/run"
)

// QueueWork returns how the items of queues are begun and landed.
func (a *API) QueueWork() queue.Work { return queueWork{a.Queues, Landings{&a.Runs}} }

type queueWork struct {
	Queues
	lands Landings
}

// caller is the request of a try. Where a chat stands behind a queue or an item, its process
// is left out: who cannot be told apart gets no more than a chat.
func (w queueWork) caller(q queue.Queue, chat bool, cause string) auth.Request {
	id := auth.Identity{Kind: auth.KindDaemon, Name: "queue", Actor: events.ActorDaemon(w.HostID)}
	if chat {
		id.Kind = auth.KindLocal
	}
	if q.Open != nil {
		id.Actor = q.Open.By
	}
	return auth.Request{Identity: id, ID: cause, ClientVersion: w.Version}
}

// Begin implements queue.Work: the run of an item works in a work tree of its own, which all
// its runs share.
func (w queueWork) Begin(ctx context.Context, q queue.Queue, i folded.Item, cause string) (string, error) {
	c, err := w.Queue.Caller(q.ID)
	if err != nil {
		return "", err
	}
	req, item, err := w.request(q, i)
	if err != nil {
		return "", w.refused(ctx, err)
	}
	by := w.caller(q, c.Chat || item.Chat, cause)
	if s, ok := w.Fleet.Requested(ctx, cause); ok {
		return s.ID, nil
	}
	if s, ok := w.Fleet.State(i.Run); ok && i.End == events.ItemLost && s.Status == run.Halted {
		v, err := w.runs.RunResume(ctx, by, wire.ResumeRequest{RunRef: wire.RunRef{Run: s.ID}})
		return v.ID, w.fault(ctx, err)
	}
	if chat := c.Chat || item.Chat; chat && i.Priority > events.PriorityNormal {
		req.Spec.Priority = "" // it orders the queue; a chat does not go before others on the machine
	}
	req.Env, req.Settings, req.NoConfig = c.Env, c.Settings, c.NoConfig
	if q.Open.UntilMS > 0 && (req.Spec.UntilMS == 0 || req.Spec.UntilMS > q.Open.UntilMS) {
		req.Spec.UntilMS = q.Open.UntilMS
	}
	if i.Findings != "" {
		req.Spec.Start, req.Findings = events.StartGreen, w.Text(i.Findings)
	}
	if req.Spec.Branch, req.Spec.From = branchOf(q, i), w.Text(q.Workspace); req.Spec.From == "" {
		return "", w.refused(ctx, errors.New("the text that names the work tree of the queue was pruned"))
	}
	if req.Spec.Workspace, err = w.place(ctx, q, i, req.Spec, c); err != nil {
		return "", w.fault(ctx, err)
	}
	v, err := w.runs.RunStart(ctx, by, req)
	return v.ID, w.fault(ctx, err)
}

// branchOf is the branch of an item.
func branchOf(q queue.Queue, i folded.Item) string {
	return fmt.Sprintf("%s/%s-%s", wire.WorktreeRoot, q.Name, i.Name)
}

// request is the run that an item wants, over the defaults of its queue.
func (w queueWork) request(q queue.Queue, i folded.Item) (req wire.StartRequest, item stored.Item, err error) {
	set, err := w.settings(q)
	if err != nil {
		return req, item, err
	}
	if err := json.Unmarshal([]byte(w.Text(i.Spec)), &item); err != nil {
		return req, item, errors.New("the text of the item was pruned")
	}
	if err := json.Unmarshal(item.Start, &req); err != nil {
		return req, item, fmt.Errorf("read the request of an item: %w", err)
	}
	var defaults wire.StartRequest
	if len(set.Defaults) > 0 {
		if err := json.Unmarshal(set.Defaults, &defaults); err != nil {
			return req, item, fmt.Errorf("read the defaults of a queue: %w", err)
		}
	}
	req.Spec, err = overlaid(defaults.Spec, req.Spec)
	req.Spec.Workflow = cmp.Or(req.Spec.Workflow, "converge")
	return req, item, err
}

func (a *Queues) settings(q queue.Queue) (set stored.Queue, err error) {
	if text := a.Text(q.Settings); text == "" || json.Unmarshal([]byte(text), &set) != nil {
		return set, fmt.Errorf("the settings of queue %s were pruned", q.Name)
	}
	return set, nil
}

// refused says that an item can never begin.
func (w queueWork) refused(ctx context.Context, err error) error {
	text := err.Error()
	var e *wire.Error
	if errors.As(err, &e) && e.Hint != "" {
		text = e.Message + "\n" + e.Hint
	}
	ref, perr := w.Blobs.Put(ctx, []byte(text))
	if perr != nil {
		return perr
	}
	return &queue.RefusedError{End: events.LandingRefused, Detail: ref}
}

// fault tells what a person has to do, and what fails whenever it is tried, from what passes.
func (w queueWork) fault(ctx context.Context, err error) error {
	var e *wire.Error
	switch err = Fault(err); {
	case err == nil:
		return nil
	case !errors.As(err, &e):
		return err
	}
	switch e.Code {
	case wire.NeedsPerson:
		return fmt.Errorf("%w: %s", queue.ErrTrust, e.Message)
	case wire.Usage, wire.NotFound, wire.Denied, wire.Failed:
		return w.refused(ctx, err)
	case wire.OK, wire.Conflict, wire.Unreachable, wire.TimedOut, wire.CursorExpired, wire.Full, wire.Newer: // it passes
	}
	return err
}

const (
	placeWithin = 5 * time.Minute // a large repository is checked out
	placeKept   = 64 << 10
)

// place makes the work tree of an item by the user's own git, or finds it: an effect does it,
// as the repository may name programs.
func (w queueWork) place(ctx context.Context, q queue.Queue, i folded.Item, spec wire.RunSpec, c queue.Caller) (string, error) {
	id := "queue-" + strings.ToLower(q.ID) + "-" + string(i.Name)
	argv := append(w.TreeMaker[:len(w.TreeMaker):len(w.TreeMaker)], "--branch="+spec.Branch)
	if at := w.base(q, i); at != "" {
		argv = append(argv, "--at="+at)
	}
	if c.NoConfig {
		argv = append(argv, "--no-config")
	}
	printed, failed, ok, err := w.command(ctx, id, shim.Spec{
		Argv: argv, Dir: spec.From, Env: slices.Concat(c.Env, w.TreeEnv), Wall: placeWithin, Head: placeKept, Tail: placeKept,
	})
	if err != nil {
		return "", err
	}
	if dir := strings.TrimSuffix(printed, "\n"); ok && filepath.IsAbs(dir) {
		return dir, nil
	}
	return "", wire.Errorf(wire.Failed, "branch %s gets no work tree: %s", spec.Branch, failed)
}

// base is where the branch of an item begins: at the target, as far as it is there, so that
// an item has what it waited for. Where nothing lands it begins at the branch of the item
// that it waited for last.
func (w queueWork) base(q queue.Queue, i folded.Item) string {
	if q.Land.Merges() {
		if q.Lane.Tip != "" {
			return q.Lane.Tip
		}
		return ""
	}
	at := ""
	for _, name := range i.After {
		if on, ok := q.Get(name); ok && on.Run != "" {
			at = branchOf(q, on)
		}
	}
	return at
}

// Land implements queue.Work.
func (w queueWork) Land(ctx context.Context, q queue.Queue, items []folded.Item, cause string) (string, error) {
	set, err := w.settings(q)
	if err != nil {
		return "", w.refused(ctx, err)
	}
	o := LandOrder{Target: w.Text(q.Target), Base: set.Base, How: set.How}
	names := map[string]events.Name{} // by the handle of their run
	for _, i := range items {
		o.Runs = append(o.Runs, i.Run)
		names[w.handleOf(i.Run)] = i.Name
	}
	c, err := w.Queue.Caller(q.ID)
	if err != nil {
		return "", err
	}
	if o.Env = c.Env; q.Land == events.LandPR {
		return "", w.show(ctx, q, set, items[0], c)
	}
	s, err := w.lands.Begin(ctx, w.caller(q, c.Chat, cause), o)
	var conflict *land.ConflictError
	var of *RunError
	switch {
	case err == nil:
		return s.ID, nil
	case errors.As(err, &conflict):
		return "", w.sentBack(ctx, events.LandingConflict, names[conflict.Run], conflictFindings(o.Target, conflict.Files))
	case errors.As(err, &of):
		refused := w.refused(ctx, wire.Errorf(wire.Conflict, "%v", err).WithHint("%s", of.Fix))
		var r *queue.RefusedError
		if errors.As(refused, &r) && names[of.Run] != "" {
			r.Items = []events.Name{names[of.Run]}
		}
		return "", refused
	case errors.Is(err, land.ErrNothing):
		return "", w.sentBack(ctx, events.Landed, "", "")
	case errors.Is(err, land.ErrNoGates):
		return "", w.refused(ctx, wire.Errorf(wire.Usage, "nothing checks the merged tree").WithHint("land: {gates: {suite: CMD}} in .autopilot/config.yaml names a gate"))
	}
	return "", w.fault(ctx, err)
}

// sentBack is a landing that ended before it began.
func (w queueWork) sentBack(ctx context.Context, end events.LandingEnd, item events.Name, text string) error {
	r := &queue.RefusedError{End: end}
	if item != "" {
		r.Items = []events.Name{item}
	}
	if text == "" {
		return r
	}
	var err error
	if r.Detail, err = w.Blobs.Put(ctx, []byte(text)); err != nil {
		return err
	}
	return r
}

// landFinding is a finding of a landing, in the form of wire.ParseFindings.
type landFinding struct {
	Ref      string  `json:"evidence_ref"`
	Priority float64 `json:"priority"`
	Detail   string  `json:"detail"`
}

// mostLandFindings bounds the findings of a landing.
const mostLandFindings = 50

func landFindings(list []landFinding) string {
	b, err := json.Marshal(list[:min(len(list), mostLandFindings)])
	if err != nil {
		return ""
	}
	return string(b)
}

// conflictFindings are findings for the agent whose work does not merge.
func conflictFindings(target string, files []string) string {
	var out []landFinding
	for _, f := range files {
		out = append(out, landFinding{Ref: f, Detail: f + " conflicts with branch " + target + ": merge that branch into yours, and resolve the conflict."})
	}
	return landFindings(out)
}

// landDetail is a text of a landing for people: findings a line each.
func landDetail(text string) string {
	var list []landFinding
	if json.Unmarshal([]byte(text), &list) != nil {
		return text
	}
	var lines []string
	for _, f := range list {
		first, _, _ := strings.Cut(f.Detail, "\n")
		lines = append(lines, first)
	}
	return strings.Join(lines, "\n")
}

// Landed implements queue.Work.
func (w queueWork) Landed(ctx context.Context, q queue.Queue, s run.State) (d events.LandingEnded, err error) {
	commit, problem, _ := Landed(s)
	target, h, text := w.Text(q.Target), s.Facts.Handle, ""
	switch problem {
	case "":
		return events.LandingEnded{End: events.Landed, Commit: commit}, nil
	case LandTargetMoved:
		return events.LandingEnded{End: events.LandingMoved}, nil
	case LandTargetRed:
		d.End, text = events.LandingTarget, "a gate fails on branch "+target+" itself, without the work: apctl why "+h
	case LandCheckedOut:
		d.End = events.LandingTarget
		text = fmt.Sprintf("branch %s is checked out, so it was not moved; in its work tree: git merge --ff-only refs/autopilot/land/%s", target, h)
	case LandRed:
		d.End, text = events.LandingRed, w.redFindings(s, target)
	default:
		d.End, text = events.LandingRefused, "its landing did not work ("+problem+"): apctl why "+h
	}
	d.Detail, err = w.Blobs.Put(ctx, []byte(text))
	return d, err
}

// redFindings are findings for the agent whose work is red on the merged tree.
func (w queueWork) redFindings(s run.State, target string) string {
	var out []landFinding
	for _, r := range s.Last.Results {
		if r.Verdict == events.Pass || r.Verdict == events.Skipped {
			continue
		}
		out = append(out, landFinding{Ref: string(r.Gate), Detail: fmt.Sprintf(
			"Gate %s fails on your work merged into branch %s: merge that branch into yours, and mend it.\n%s", r.Gate, target, w.Text(r.Excerpt),
		)})
	}
	return landFindings(out)
}

// Settled implements queue.Work: a finished item is ticked off in the task list that it came
// from.
func (w queueWork) Settled(_ context.Context, q queue.Queue, i folded.Item) {
	set, err := w.settings(q)
	if err != nil || set.File == "" {
		return
	}
	var item stored.Item
	if json.Unmarshal([]byte(w.Text(i.Spec)), &item) != nil || item.Line == "" {
		return
	}
	if err := tickOff(set.File, item.Line); err != nil {
		w.Out.Warn("tick off an item", "queue", q.Name, "item", i.Name, "error", err)
	}
}

// maxList is the longest task list, in bytes.
const maxList = 1 << 20

// tickOff ticks off a task in a file, in one step.
func tickOff(path, line string) error {
	text, err := regular.Read(path, maxList)
	if err != nil {
		return err
	}
	ticked, ok := queuefile.Tick(string(text), line)
	if !ok || len(text) > maxList {
		return nil
	}
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(ticked), st.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
