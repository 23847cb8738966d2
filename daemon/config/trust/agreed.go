package trust

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"unicode/utf8"

	"autopilot/daemon/config"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/daemon/run/workflow/library"
	"autopilot/events/wire"
)

// agreed is what of a work tree a person agrees to, as it was read once: the
// configuration, the workflows and the prompts.
type agreed struct {
	ws     tree.Workspace
	config config.File
	flows  library.Project
}

// agreedIn reads what counts beside the configuration of a work tree.
func agreedIn(ws tree.Workspace, file config.File) (agreed, error) {
	a := agreed{ws: ws, config: file}
	var err error
	if a.flows, err = library.Read(ws.Path); err != nil {
		return a, wire.Errorf(wire.Usage, "%v", err)
	}
	return a, nil
}

// parts are the files, without a configuration that sets nothing.
func (a agreed) parts() []library.Part {
	if a.config.Empty() {
		return a.flows.Parts(nil)
	}
	return a.flows.Parts(a.config.Source)
}

// content is the text whose hash is trusted.
func (a agreed) content() []byte {
	if parts := a.parts(); len(parts) > 0 {
		return library.Content(parts)
	}
	return a.config.Source
}

func (a agreed) hash() string {
	sum := sha256.Sum256(a.content())
	return hex.EncodeToString(sum[:])
}

// path is what a person is told of: the configuration, if it is all.
func (a agreed) path() string {
	if parts := a.parts(); len(parts) > 1 || len(parts) == 1 && parts[0].Name != library.ConfigName {
		return filepath.Dir(a.config.Path)
	}
	return a.config.Path
}

// read reads what counts of the work tree that a directory is in, once.
// What cannot be used is an error: nobody should agree to it.
func read(ctx context.Context, dir string) (agreed, error) {
	ws, err := tree.Find(ctx, dir)
	if err != nil {
		return agreed{ws: ws}, work.NoWorkspace(dir, err)
	}
	f := config.ReadProject(config.ProjectPath(ws.Path)).File
	a, err := agreedIn(ws, f)
	switch parts := a.parts(); {
	case err != nil:
		return a, err
	case f.Err() != nil:
		return a, wire.Errorf(wire.Usage, "%v", f.Err()).WithHint("apctl config check")
	case !f.Exists && len(parts) == 0:
		return a, wire.Errorf(wire.NotFound, "there is no %s, so there is nothing to trust", f.Path).
			WithHint("apctl init   writes one")
	case len(parts) == 0:
		return a, wire.Errorf(wire.NotFound, "%s sets nothing, so there is nothing to trust", f.Path).
			WithHint("apctl config set KEY VALUE   sets something")
	default:
		for _, p := range parts {
			if !utf8.Valid(p.Source) {
				return a, wire.Errorf(wire.Usage, "%s is not UTF-8 text", filepath.Join(ws.Path, p.Name))
			}
		}
	}
	return a, nil
}
