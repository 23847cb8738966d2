package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/exec/redact"
	"autopilot/daemon/host/budget"
	"autopilot/daemon/report/retro/page"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/retro"
	"autopilot/projections/retro/sheet"
)

// RunRetro sends the document of a retro in pieces.
func (a *Retros) RunRetro(ctx context.Context, q auth.Request, body wire.RetroRequest, send func(wire.Raw) error) error {
	write, err := retroWriter(body.Format)
	if err != nil {
		return err
	}
	zone, err := budget.ZoneNamed(body.Zone)
	if err != nil {
		return err
	}
	v, err := a.retro(ctx, body, zone)
	if err != nil {
		return err
	}
	v = retroFor(q, v)
	return inPieces(send, func(w io.Writer) error { return write(w, v, zone) })
}

// retroFor leaves out texts of people when the caller is not a person's process.
func retroFor(q auth.Request, v wire.RetroView) wire.RetroView {
	if v.Run == nil || guided(q) {
		return v
	}
	for i := range v.Run.Decisions {
		v.Run.Decisions[i].Answer = ""
	}
	return v
}

// retroWriter returns the writer for a format.
func retroWriter(format string) (func(io.Writer, wire.RetroView, *time.Location) error, error) {
	on := func(write func(io.Writer, sheet.Doc, string) error) func(io.Writer, wire.RetroView, *time.Location) error {
		return func(w io.Writer, v wire.RetroView, zone *time.Location) error {
			return write(w, sheet.Make(v, zone, sheet.Page()), retroMade(v, zone))
		}
	}
	switch format {
	case "", wire.RetroJSON:
		return func(w io.Writer, v wire.RetroView, _ *time.Location) error { return json.MarshalWrite(w, v) }, nil
	case wire.RetroHTML:
		return on(page.HTML), nil
	case wire.RetroMarkdown:
		return on(page.Markdown), nil
	}
	return nil, wire.Errorf(wire.Usage, "a retro cannot be written as %q", format).WithHint("html, md or json")
}

func retroMade(v wire.RetroView, zone *time.Location) string {
	return fmt.Sprintf("Made by autopilot from the event log at %s, without secrets. People, agents and programs wrote the texts.",
		v.Made.In(zone).Format("2006-01-02 15:04 MST"))
}

func (a *Retros) retro(ctx context.Context, body wire.RetroRequest, zone *time.Location) (wire.RetroView, error) {
	v := wire.RetroView{Made: time.Now().UTC(), Zone: zone.String()}
	texts := a.Texts()
	if !body.Since.IsZero() {
		f, err := a.retroFleet(ctx, body, zone, texts)
		v.Many = &f
		return v, err
	}
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return v, err
	}
	f, err := a.retroFold(ctx, s.ID)
	if err != nil {
		return v, err
	}
	r := f.View(texts)
	r.Task = begin(r.Task, taskBytes)
	if spec, err := a.Worker.Spec(s); err == nil {
		names := slices.DeleteFunc(append([]string{agentName(spec.Agent)}, f.Agents()...), func(n string) bool { return n == "" })
		r.Agent = redact.Text(nil, strings.Join(names, ", "))
	}
	v.Run = &r
	return v, nil
}

// Texts reads blobs and takes out secrets once more, known values and likely keys: people
// pass a page on to others.
func (a *Retros) Texts() retro.Texts {
	set := redact.Compile(redact.Secrets(os.Environ()))
	return func(ref events.Ref) (string, bool) {
		b, err := a.Blobs.Get(ref)
		if err != nil {
			return "", false
		}
		return set.Text(strings.ToValidUTF8(string(b), "\uFFFD")), true
	}
}

func (a *Retros) retroFold(ctx context.Context, id string) (*retro.Fold, error) {
	f := &retro.Fold{}
	for stored, err := range a.Log.Read(ctx, events.Run(id), 0) {
		if err != nil {
			return nil, err
		}
		f.Add(stored.Event)
	}
	return f, nil
}

// readerEvents is how many events one read takes in the time of opening a reader.
const readerEvents = 100

const notWhole = "read a run for a retro: its log is not whole"

// retroFleet sums every run with an event since a moment. It counts a run that cannot be
// read, and goes on.
func (a *Retros) retroFleet(ctx context.Context, body wire.RetroRequest, zone *time.Location, texts retro.Texts) (wire.RetroFleet, error) {
	project := ""
	if body.Here {
		ws, err := a.Worker.Workspace(ctx, body.Workspace)
		if err != nil {
			return wire.RetroFleet{}, err
		}
		project = ws.ID
	}
	wanted, archived, cost := map[string]uint64{}, map[string]uint64{}, uint64(0)
	for _, h := range a.Fleet.AllHeads() {
		switch {
		case h.Latest < body.Since.UnixMilli() || project != "" && !h.Belongs(project):
		case a.Fleet.IsArchived(h.ID):
			archived[h.ID] = h.Seq
		default:
			wanted[h.ID] = h.Seq
			cost += h.Seq + readerEvents
		}
	}
	sum := retro.NewFleet(body.Since.UTC(), zone)
	if err := a.Each(ctx, archived, sum); err != nil {
		return wire.RetroFleet{}, err
	}
	read := a.Each
	if u, err := a.Log.Usage(ctx); err == nil && cost > u.Events {
		read = a.All
	}
	if err := read(ctx, wanted, sum); err != nil {
		return wire.RetroFleet{}, err
	}
	return sum.View(texts), nil
}

// Each reads the wanted runs one by one.
func (a *Retros) Each(ctx context.Context, wanted map[string]uint64, sum *retro.Fleet) error {
	for id := range wanted {
		f, err := a.retroFold(ctx, id)
		switch {
		case err != nil && !errors.Is(err, log.ErrDamaged):
			return err
		case err != nil || !f.Whole():
			a.Out.Warn(notWhole, "run", id)
			sum.Unread()
		default:
			sum.Add(f)
		}
	}
	return nil
}

// All reads the whole log once. It sums a run at its last event, so that memory holds
// only runs that overlap in time.
func (a *Retros) All(ctx context.Context, wanted map[string]uint64, sum *retro.Fleet) error {
	open := map[string]*retro.Fold{}
	for stored, err := range a.Log.ReadAll(ctx, "") {
		if errors.Is(err, log.ErrDamaged) {
			continue // the run stays open
		}
		if err != nil {
			return err
		}
		id := stored.Event.Aggregate.ID
		last, ok := wanted[id]
		if !ok || stored.Event.Aggregate != events.Run(id) {
			continue
		}
		f := open[id]
		if f == nil {
			f = &retro.Fold{}
			open[id] = f
		}
		if f.Add(stored.Event); stored.Event.Seq >= last && f.Whole() {
			sum.Add(f)
			delete(open, id)
			delete(wanted, id)
		}
	}
	for id := range wanted {
		a.Out.Warn(notWhole, "run", id)
		sum.Unread()
	}
	return nil
}
