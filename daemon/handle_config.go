package daemon

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/repo/project"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
)

// configShow answers every setting that a run in a directory would have. Outside
// of a work tree it is what the user's file says.
func (d *Daemon) configShow(ctx context.Context, _ bus.Request, body wire.ConfigRequest) (wire.ConfigView, error) {
	ws, err := tree.Find(ctx, body.Workspace)
	if err != nil && !errors.Is(err, tree.ErrNotRepository) {
		return wire.ConfigView{}, work.NoWorkspace(body.Workspace, err)
	}
	return d.configView(ws, body.Settings)
}

func (d *Daemon) configView(ws tree.Workspace, settings map[string]string) (wire.ConfigView, error) {
	l := d.layers(ws, settings)
	v := wire.ConfigView{Root: ws.Path, UserPath: d.cfg.Places.Config, Values: l.Values(), Problems: l.Problems()}
	if v.Problems == nil {
		v.Problems = []wire.ConfigProblem{}
	}
	if l.User.Exists {
		v.User = l.User.Path
	}
	if l.Project == nil || !l.Project.Exists {
		return v, nil
	}
	v.Project = l.Project.Path
	v.Hidden = hiddenExits(ws.Path, l.Project.Project)
	if v.Trusted = l.Project.Empty(); v.Trusted {
		return v, nil
	}
	err := d.trust.Check(ws, l.Project.File)
	var known *wire.Error
	if err != nil && (!errors.As(err, &known) || known.Code != wire.NeedsPerson) {
		return v, err
	}
	v.Trusted = err == nil
	return v, nil
}

// hiddenExits are the exit codes that the gates of a project's file hide.
func hiddenExits(root string, p config.Project) []wire.HiddenExit {
	var gates []wire.GateSpec
	for _, e := range p.Gates {
		gates = append(gates, wire.GateSpec{Name: events.Name(e.Key), Command: e.Value.Run})
	}
	for _, e := range p.Holdout.Gates {
		gates = append(gates, wire.GateSpec{Name: events.Name(e.Key), Command: e.Value})
	}
	if len(gates) == 0 {
		return nil
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil // without the files only less is said
	}
	defer dir.Close()
	return work.HiddenExits(gates, project.Source(dir.FS(), root))
}

// layers reads the files that count for a work tree; without one it is the
// user's alone.
func (d *Daemon) layers(ws tree.Workspace, settings map[string]string) config.Layers {
	user := d.settings.Read()
	l := config.Layers{Environment: settings, User: &user}
	if ws.Path != "" {
		project := config.ReadProject(config.ProjectPath(ws.Path))
		l.Project = &project
	}
	return l
}

// configSet changes one setting in the file that it belongs to, and answers what there
// is then.
func (d *Daemon) configSet(ctx context.Context, _ bus.Request, body wire.ConfigSetRequest) (wire.ConfigView, error) {
	ws, err := tree.Find(ctx, body.Workspace)
	body.User = body.User || config.BelongsToUser(body.Key)
	if err != nil && (!body.User || !errors.Is(err, tree.ErrNotRepository)) {
		return wire.ConfigView{}, wire.Errorf(wire.Usage, "%v", err).
			WithHint("apctl config set --user   sets it for all projects")
	}
	edit := config.Edit{Path: config.ProjectPath(ws.Path), Key: body.Key, Value: body.Value, Unset: body.Unset}
	if body.User {
		edit.Path, edit.User = d.cfg.Places.Config, true
	}
	if err := d.settings.Err(); err != nil && body.User {
		return wire.ConfigView{}, config.Unusable(err)
	}
	d.edits.Lock()
	defer d.edits.Unlock()
	if err := edit.Write(); err != nil {
		return wire.ConfigView{}, err
	}
	v, err := d.configView(ws, nil)
	if v.Written = edit.Path; body.User && v.User == "" || !body.User && v.Project == "" {
		v.Written = ""
	}
	return v, err
}

// configured is a request with its settings filled in.
type configured struct {
	config.Applied
	Source []byte // of the project's file that was used; nil without one
}

// file is the place of a setting that was used.
func (c configured) file(key string) string {
	for _, v := range c.Used {
		if v.Key == key {
			return v.Where
		}
	}
	return "your configuration"
}

// configure lays the configuration under what was typed. The project's file is
// used only as a person has agreed to it. A work tree that was made for the run
// has the settings of the one that it was made from.
func (d *Daemon) configure(ctx context.Context, q wire.StartRequest, now time.Time) (configured, error) {
	spec := q.Spec
	spec.Workspace = cmp.Or(spec.From, spec.Workspace)
	ws, err := d.worker.Workspace(ctx, spec)
	if err != nil {
		return configured{}, err
	}
	l, err := d.usable(ws, q.Settings, q.NoConfig)
	if err != nil {
		return configured{}, err
	}
	a, err := l.Apply(q, now.Local())
	if err != nil {
		return configured{}, err
	}
	if a.Request.Spec.Issue, err = issueIn(a.Request.Spec.Issue, l.User); err != nil {
		return configured{}, err
	}
	c := configured{Applied: a}
	if l.Project != nil {
		c.Source = l.Project.Source
	}
	return c, nil
}

// usable are the files that count for a work tree and may be used.
func (d *Daemon) usable(ws tree.Workspace, settings map[string]string, noConfig bool) (config.Layers, error) {
	l := d.layers(ws, settings)
	if l.Project != nil && (noConfig || l.Project.Empty()) {
		l.Project = nil
	}
	if err := l.Err(); err != nil {
		return l, config.Unusable(err)
	}
	if l.Project == nil {
		return l, nil
	}
	return l, d.trust.Check(ws, l.Project.File)
}

// keepConfig stores the project's file with a run.
func (d *Daemon) keepConfig(ctx context.Context, c configured) (events.Ref, error) {
	if c.Source == nil {
		return "", nil
	}
	return d.blobs.Put(ctx, c.Source)
}
