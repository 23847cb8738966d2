package trust

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/phrase"
)

// maxBlocked bounds how many files are remembered.
const maxBlocked = 100

// blocked remembers which files of projects kept a run from being started, as
// nobody trusts them, and since when. That is known of this daemon's life only:
// a run that was not started has no log.
type blocked struct {
	mu    sync.Mutex
	files map[string]time.Time // by directory of the project
}

// note remembers a project's file.
func (b *blocked) note(file string, now time.Time) {
	dir := filepath.Dir(filepath.Dir(file)) // DIR/.autopilot/config.yaml
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.files == nil {
		b.files = map[string]time.Time{}
	}
	if _, known := b.files[dir]; !known && len(b.files) < maxBlocked {
		b.files[dir] = now
	}
}

// list is what is remembered.
func (b *blocked) list() map[string]time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[string]time.Time, len(b.files))
	for dir, at := range b.files {
		out[dir] = at
	}
	return out
}

func (b *blocked) forget(dir string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.files, dir)
}

// Untrusted lists the files that keep runs from being started, and still do. How
// trust is given is not for agents to know.
func (k *Keeper) Untrusted(ctx context.Context, q auth.Request) []wire.InboxItem {
	items, l := []wire.InboxItem{}, k.cfg.Language()
	for dir, at := range k.blocked.list() {
		a, err := read(ctx, dir)
		if err == nil {
			_, trusted, terr := k.find(a.ws, events.Ref(a.hash()))
			if err = terr; trusted {
				k.blocked.forget(dir)
				continue
			}
		}
		if err != nil {
			k.blocked.forget(dir) // gone, or not to be used for another reason
			continue
		}
		i := wire.InboxItem{Kind: explain.NeedsTrust, At: at, Workspace: dir, Language: string(l), What: explain.Untrusted(l, a.path())}
		if q.Kind == auth.KindLocal {
			i.Next = wire.NextCommand{Command: "cd " + phrase.Quote(dir) + " && apctl trust", Why: phrase.Say(l, "shows it, and asks you", "内容を表示し、確認を求める")}
		}
		items = append(items, i)
	}
	return items
}
