package daemon

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/bus"
	"autopilot/daemon/redact"
	"autopilot/daemon/retro/page"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/retro"
	"autopilot/projections/retro/sheet"
)

// rawRetro sends the document of a retro in pieces.
func (d *Daemon) rawRetro(ctx context.Context, q bus.Request, r *bus.Reply) error {
	body, err := decode[wire.RetroRequest](q.Body)
	if err != nil {
		return err
	}
	write, err := retroWriter(body.Format)
	if err != nil {
		return err
	}
	zone, err := zoneNamed(body.Zone)
	if err != nil {
		return err
	}
	v, err := d.retro(ctx, body, zone)
	if err != nil {
		return err
	}
	return write(&pieces{ctx: ctx, r: r}, v, zone)
}

// retroWriter is how a retro is written in a format.
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
	return nil, wire.Errorf(wire.Usage, "a retro is not written as %q", format).WithHint("html, md or json")
}

func retroMade(v wire.RetroView, zone *time.Location) string {
	return fmt.Sprintf("Made by autopilot from the event log at %s. Secrets are taken out; the texts are those of people, agents and programs.",
		v.Made.In(zone).Format("2006-01-02 15:04 MST"))
}

func (d *Daemon) retro(ctx context.Context, body wire.RetroRequest, zone *time.Location) (wire.RetroView, error) {
	v := wire.RetroView{Made: time.Now().UTC(), Zone: zone.String()}
	texts := d.retroTexts()
	if !body.Since.IsZero() {
		f, err := d.retroFleet(ctx, body, zone, texts)
		v.Many = &f
		return v, err
	}
	s, err := d.find(ctx, body.RunRef)
	if err != nil {
		return v, err
	}
	f, err := d.retroFold(ctx, s.ID)
	if err != nil {
		return v, err
	}
	r := f.View(texts)
	r.Task = begin(r.Task, taskBytes)
	if spec, err := d.worker.Spec(s); err == nil {
		r.Agent = redact.Text(nil, agentName(spec.Agent))
	}
	v.Run = &r
	return v, nil
}

// retroTexts reads blobs, and once more takes out what looks like a secret or is
// one here: a page is given to others.
func (d *Daemon) retroTexts() retro.Texts {
	set := redact.Compile(redact.Secrets(os.Environ()))
	return func(ref events.Ref) (string, bool) {
		b, err := d.blobs.Get(ref)
		if err != nil {
			return "", false
		}
		return set.Text(strings.ToValidUTF8(string(b), "\uFFFD")), true
	}
}

func (d *Daemon) retroFold(ctx context.Context, id string) (*retro.Fold, error) {
	f := &retro.Fold{}
	for stored, err := range d.log.Read(ctx, events.Run(id), 0) {
		if err != nil {
			return nil, err
		}
		f.Add(stored.Event)
	}
	return f, nil
}

// retroFleet sums every run that had an event since a moment. A run that cannot
// be read is counted, and hides no other.
func (d *Daemon) retroFleet(ctx context.Context, body wire.RetroRequest, zone *time.Location, texts retro.Texts) (wire.RetroFleet, error) {
	project := ""
	if body.Here {
		ws, err := d.worker.Workspace(ctx, wire.RunSpec{Workspace: body.Workspace})
		if err != nil {
			return wire.RetroFleet{}, err
		}
		project = ws.ID
	}
	sum := retro.NewFleet(body.Since.UTC(), zone)
	for _, h := range d.fleet.heads() {
		if h.Latest < body.Since.UnixMilli() || project != "" && !belongs(h, project) {
			continue
		}
		f, err := d.retroFold(ctx, h.ID)
		if cause := context.Cause(ctx); cause != nil {
			return wire.RetroFleet{}, cause
		}
		if err != nil {
			d.cfg.Log.Warn("read a run for a retro", "run", h.ID, "error", err)
			sum.Unread()
			continue
		}
		r := f.View(nil)
		if !sum.Full() {
			r.Task, _ = texts(f.Facts().Task)
		}
		sum.Add(r)
	}
	return sum.View(), nil
}
