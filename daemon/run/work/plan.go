package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/cache"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/durable"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Plan is everything that a run works by.
type Plan struct {
	Repo    *tree.Repo
	Spec    stored.Spec
	Task    string
	Flow    workflow.Workflow
	Source  []byte            // the YAML of Flow, while the daemon prepares the run
	Prompts map[string]string // templates that Flow names, by file
	Ignore  []byte
	Pins    rule.Pins
	Pinned  []string           // pinned files of the start tree; those that gates name come first
	Named   []string           // globs of pinned files that the task asks to change, if prepared here
	Hidden  []wire.HiddenExit  // exit codes that the gates hide, if prepared here
	Own     *member            // the run's own agent
	Members map[string]*member // agents of roles from the workflow, by profile
	TaskRef events.Ref         // the upload that Task came from, while the daemon prepares the run
	Held    *held              // nil without held-out gates
	Secret

	habits      []string   // pinned files that the gates wrote at the baseline
	habitsKnown bool       // this daemon judged the baseline
	failing     *rule.Pins // tests that failed at the baseline, once known

	Secrets []string // NAME=value: values of Secret, kept out of texts and spools
	store   *cache.Store
	opened  bool // this daemon opened the store
}

// Secret is the part of a plan outside of the log: a file of mode 0600 keeps it until the
// run is over.
type Secret struct {
	AgentEnv  []string            `json:"agent_env"`           // of the caller
	AgentCall []string            `json:"agent_call,omitzero"` // variables of the own agent's profile, which win over AgentEnv; with agent.BoxWord
	Calls     map[string][]string `json:"calls,omitzero"`      // the same of other agents, by profile
	Gates     gate.Pinned         `json:"gates"`
	Redact    []string            `json:"redact,omitzero"` // names of further variables with secrets
}

// plan loads the plan of a started run.
func (w *records) plan(ctx context.Context, s run.State) (*Plan, error) {
	w.mu.Lock()
	p := w.plans[s.ID]
	w.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := w.loadPlan(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("load the plan of run %s: %w", s.Facts.Handle, err)
	}
	w.remember(s.ID, p)
	return p, nil
}

func (w *records) remember(id string, p *Plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plans[id], w.hide = p, nil
	w.shareDirs(p.Gates.Dirs)
}

// shareDirs keeps equal contents of PATH directories once for all runs: a directory may
// have thousands of names, and there may be a thousand runs. The caller holds w.mu.
func (w *records) shareDirs(dirs []gate.Dir) {
	for i, d := range dirs {
		if known := w.dirs[d.Path]; known.ID == d.ID && slices.Equal(known.Names, d.Names) {
			dirs[i] = known
			continue
		}
		w.dirs[d.Path] = d
	}
}

func (w *records) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.plans, id)
	w.hide = nil
}

func (w *records) loadPlan(ctx context.Context, s run.State) (*Plan, error) {
	p := &Plan{}
	path, err := w.text(s.Facts.Workspace)
	if err != nil {
		return nil, err
	}
	if p.Repo, err = w.repo(ctx, tree.Workspace{ID: s.Facts.Project, Path: path}); err != nil {
		return nil, err
	}
	if p.Task, err = w.text(s.Facts.Task); err != nil {
		return nil, err
	}
	if p.Flow, err = w.Flow(ctx, s); err != nil {
		return nil, err
	}
	if err := w.decode(s.Facts.Prompts, &p.Prompts); err != nil {
		return nil, err
	}
	if p.Ignore, err = w.cfg.Blobs.Get(s.Facts.Ignore); err != nil {
		return nil, err
	}
	if p.Spec, err = w.Spec(s); err != nil {
		return nil, err
	}
	p.Flow = timeLimited(p.Flow, p.Spec.Timeouts)
	if err := p.readMembers(); err != nil {
		return nil, err
	}
	if p.Held, err = w.heldOf(s); err != nil {
		return nil, err
	}
	if err := w.decode(s.Facts.Pins, &p.Pins); err != nil {
		return nil, err
	}
	if p.Pinned, err = pinnedFiles(ctx, p.Repo, s.Facts.Tree, p.Pins); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(w.secretFile(s.ID))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &p.Secret); err != nil {
		return nil, err
	}
	p.Secrets = p.secrets()
	return p, nil
}

// parsed is the workflow of the last read: a long run shown event by event would parse it
// each time. Nobody may change it.
type parsed struct {
	source, spec events.Ref // spec is empty without inputs and roles
	flow         workflow.Workflow
}

// Flow is the workflow that was stored with a run.
func (w *records) Flow(_ context.Context, s run.State) (workflow.Workflow, error) {
	src, err := w.cfg.Blobs.Get(s.Facts.Source)
	if err != nil {
		return workflow.Workflow{}, err
	}
	if p := w.parsed.Load(); p != nil && p.source == s.Facts.Source && (p.spec == "" || p.spec == s.Facts.Spec) {
		return p.flow, nil
	}
	last := parsed{source: s.Facts.Source}
	if last.flow, err = workflow.Parse(src); err != nil {
		return workflow.Workflow{}, err
	}
	if len(last.flow.Inputs)+len(last.flow.Roles) > 0 {
		spec, err := w.Spec(s)
		if err != nil {
			return workflow.Workflow{}, err
		}
		last.spec, last.flow = s.Facts.Spec, last.flow.Fill(spec.Inputs).Staffed(spec.Roles)
	}
	w.parsed.Store(&last)
	return last.flow, nil
}

// Spec is what a run was started with.
func (w *records) Spec(s run.State) (stored.Spec, error) {
	var spec stored.Spec
	err := w.decode(s.Facts.Spec, &spec)
	if err == nil && spec.Type != stored.TypeSpec {
		err = fmt.Errorf("run %s was stored by another version of autopilot", s.Facts.Handle)
	}
	return spec, err
}

// opening is a repository that is open, or on the way to it.
type opening struct {
	done chan struct{} // closed when the result is known
	repo *tree.Repo
	err  error
}

// repo opens the repository of a workspace once. Callers open other repositories
// meanwhile, as it runs git.
func (w *records) repo(ctx context.Context, ws tree.Workspace) (*tree.Repo, error) {
	for {
		o, first := w.opening(ws.ID)
		if first {
			o.repo, o.err = tree.Open(ctx, w.cfg.Trees, ws)
			if errors.Is(o.err, tree.ErrNoGit) {
				o.err = wire.Errorf(wire.Failed, "git is not on the PATH of the daemon, so no work can be recorded").
					WithHint("install git 2.36 or newer, then where it is on PATH: apctl daemon restart")
			}
			if o.err != nil {
				w.mu.Lock()
				delete(w.repos, ws.ID)
				w.mu.Unlock()
			}
			close(o.done)
			return o.repo, o.err
		}
		select {
		case <-o.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if o.err == nil {
			return o.repo, nil
		}
		// The opener's context may have ended; this caller's has not.
	}
}

// opening finds the opening of a workspace; first says that the caller must open it.
func (w *records) opening(id string) (o *opening, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o = w.repos[id]; o != nil {
		return o, false
	}
	o = &opening{done: make(chan struct{})}
	w.repos[id] = o
	return o, true
}

// Repo is the repository of a run's workspace.
func (w *records) Repo(ctx context.Context, s run.State) (*tree.Repo, error) {
	path, err := w.text(s.Facts.Workspace)
	if err != nil {
		return nil, err
	}
	return w.repo(ctx, tree.Workspace{ID: s.Facts.Project, Path: path})
}

func (w *records) secretFile(id string) string {
	return filepath.Join(w.cfg.State, "runs", id+".json")
}

// keepSecret writes the secret part, synced, before the run is announced.
func (w *records) keepSecret(id string, s Secret) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := w.secretFile(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := durable.Write(path, b); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}

// DropSecret removes the secret part of a finished run.
func (w *records) DropSecret(id string) error {
	w.forget(id)
	err := os.Remove(w.secretFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// SweepSecrets removes the secrets of finished runs, and of runs whose start was never
// stored. It also removes their clean checkouts and the leftovers of their gates.
func (w *Worker) SweepSecrets(needed func(id string) bool) error {
	files, err := filepath.Glob(filepath.Join(w.cfg.State, "runs", "*.json"))
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range files {
		if id := strings.TrimSuffix(filepath.Base(f), ".json"); !needed(id) {
			errs = append(errs, w.DropSecret(id))
		}
	}
	return errors.Join(append(errs, w.sweepCheckouts(needed), w.sweepLandings(needed), w.sweepPlaces())...)
}

// text reads a blob as a string; an empty ref is an empty text.
func (w *records) text(ref events.Ref) (string, error) {
	if ref == "" {
		return "", nil
	}
	b, err := w.cfg.Blobs.Get(ref)
	return string(b), err
}

// lines reads a blob with one entry a line.
func (w *records) lines(ref events.Ref) ([]string, error) {
	s, err := w.text(ref)
	if err != nil || s == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n"), nil
}

func (w *records) decode(ref events.Ref, v any) error {
	b, err := w.cfg.Blobs.Get(ref)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// put stores a text without secrets; an empty text has no ref.
func (w *records) put(ctx context.Context, text string) (events.Ref, error) {
	return w.putExact(ctx, w.hidden().Text(text))
}

// putExact stores a text that the daemon reads again.
func (w *records) putExact(ctx context.Context, text string) (events.Ref, error) {
	if text == "" {
		return "", nil
	}
	return w.cfg.Blobs.Put(ctx, []byte(text))
}

func (w *records) encode(ctx context.Context, v any) (events.Ref, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	return w.cfg.Blobs.Put(ctx, b)
}
