package api

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/project"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
)

// ConfigShow answers every setting of a run in a directory. Outside of a work tree, those
// are the settings of the user's file.
func (a *Projects) ConfigShow(ctx context.Context, _ auth.Request, body wire.ConfigRequest) (wire.ConfigView, error) {
	ws, err := tree.Find(ctx, body.Workspace)
	if err != nil && !errors.Is(err, tree.ErrNotRepository) {
		return wire.ConfigView{}, work.NoWorkspace(body.Workspace, err)
	}
	return a.configView(ws, body.Settings)
}

func (a *Projects) configView(ws tree.Workspace, settings map[string]string) (wire.ConfigView, error) {
	l := a.Layers(ws, settings)
	v := wire.ConfigView{Root: ws.Path, UserPath: a.Places.Config, Values: l.Values(), Problems: l.Problems()}
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
	err := a.Trust.Check(ws, l.Project.File)
	var known *wire.Error
	if err != nil && (!errors.As(err, &known) || known.Code != wire.NeedsPerson) {
		return v, err
	}
	v.Trusted = err == nil
	return v, nil
}

// hiddenExits lists the exit codes that the gates of a project's file hide.
func hiddenExits(root string, p config.Project) []wire.HiddenExit {
	var gates []stored.Gate
	for _, e := range p.Gates {
		gates = append(gates, stored.Gate{Name: events.Name(e.Key), Command: e.Value.Run})
	}
	for _, e := range p.Holdout.Gates {
		gates = append(gates, stored.Gate{Name: events.Name(e.Key), Command: e.Value})
	}
	if len(gates) == 0 {
		return nil
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil // without the files, the list is only shorter
	}
	defer dir.Close()
	return work.HiddenExits(gates, project.Source(dir.FS(), root))
}

// Layers reads the configuration files of a work tree; without a work tree, the user's
// file alone.
func (a *Projects) Layers(ws tree.Workspace, settings map[string]string) config.Layers {
	user := a.Settings.Read()
	l := config.Layers{Environment: settings, User: &user}
	if ws.Path != "" {
		project := config.ReadProject(config.ProjectPath(ws.Path))
		l.Project = &project
	}
	return l
}

// ConfigSet changes one setting in the file that the setting belongs to, and answers the
// settings after that.
func (a *Projects) ConfigSet(ctx context.Context, _ auth.Request, body wire.ConfigSetRequest) (wire.ConfigView, error) {
	ws, err := tree.Find(ctx, body.Workspace)
	body.User = body.User || config.BelongsToUser(body.Key)
	if err != nil && (!body.User || !errors.Is(err, tree.ErrNotRepository)) {
		return wire.ConfigView{}, wire.Errorf(wire.Usage, "%v", err).
			WithHint("apctl config set --user   sets it for all projects")
	}
	edit := config.Edit{Path: config.ProjectPath(ws.Path), Key: body.Key, Value: body.Value, Unset: body.Unset}
	if body.User {
		edit.Path, edit.User = a.Places.Config, true
	}
	if err := a.Settings.Err(); err != nil && body.User {
		return wire.ConfigView{}, config.Unusable(err)
	}
	a.edits.Lock()
	defer a.edits.Unlock()
	if err := edit.Write(); err != nil {
		return wire.ConfigView{}, err
	}
	v, err := a.configView(ws, nil)
	if v.Written = edit.Path; body.User && v.User == "" || !body.User && v.Project == "" {
		v.Written = ""
	}
	return v, err
}

// configured is a request with its settings filled in.
type configured struct {
	config.Applied
	Source []byte // text of the project's file, if it was used; else nil
}

// file is the place of a setting in a file that was used.
func (c configured) file(key string) string {
	for _, v := range c.Used {
		if v.Key == key {
			return v.Where
		}
	}
	return "your configuration"
}

// configure lays the configuration under the typed flags. It uses the project's file only
// as a person agreed to it. A work tree made for a run has the settings of its original.
func (a *Projects) configure(ctx context.Context, q wire.StartRequest, now time.Time) (configured, error) {
	ws, err := a.Worker.Workspace(ctx, cmp.Or(q.Spec.From, q.Spec.Workspace))
	if err != nil {
		return configured{}, err
	}
	l, err := a.Usable(ws, q.Settings, q.NoConfig)
	if err != nil {
		return configured{}, err
	}
	applied, err := l.Apply(orderOf(q), now.Local())
	if err != nil {
		return configured{}, err
	}
	if applied.Order.Spec.Issue, err = issueIn(applied.Order.Spec.Issue, l.User); err != nil {
		return configured{}, err
	}
	c := configured{Applied: applied}
	if l.Project != nil {
		c.Source = l.Project.Source
	}
	return c, nil
}

// Usable reads the configuration files of a work tree that a run may use.
func (a *Projects) Usable(ws tree.Workspace, settings map[string]string, noConfig bool) (config.Layers, error) {
	l := a.Layers(ws, settings)
	if l.Project != nil && (noConfig || l.Project.Empty()) {
		l.Project = nil
	}
	if err := l.Err(); err != nil {
		return l, config.Unusable(err)
	}
	if l.Project == nil {
		return l, nil
	}
	return l, a.Trust.Check(ws, l.Project.File)
}

// keepConfig stores the project's file with a run.
func (a *Projects) keepConfig(ctx context.Context, c configured) (events.Ref, error) {
	if c.Source == nil {
		return "", nil
	}
	return a.Blobs.Put(ctx, c.Source)
}

// issueIn completes the number of an issue with the repository of the user's notify
// rules. A project's file cannot name one, so a work tree cannot decide where its runs
// report.
func issueIn(given string, user *config.UserFile) (string, error) {
	if given == "" || user == nil {
		return given, nil
	}
	issue, err := wire.ParseIssue(given)
	if err != nil || issue.Repository != "" {
		return given, nil // the check of the run explains the fault
	}
	repos := user.Notify.Repositories()
	if len(repos) > 1 {
		return given, wire.Errorf(wire.Usage, "issue %s exists in %s or in %s", issue, repos[0], repos[1]).
			WithHint("--issue %s%s   names the repository", repos[0], issue)
	}
	if len(repos) == 1 {
		issue.Repository = repos[0]
	}
	return issue.String(), nil
}
