package tree

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"autopilot/projections/rule"
)

// configEntry is one value of a configuration.
type configEntry struct{ key, value string }

// configs remembers the configuration of a workspace that was read last.
type configs struct {
	mu      sync.Mutex
	text    string
	entries []configEntry
	known   bool
}

// config lists the configuration of the repository and of the work tree, as data:
// includes are not followed. A git runs for it only if the text has changed.
func (r *Repo) config(ctx context.Context, gd gitDir) ([]configEntry, error) {
	var text []byte
	for _, path := range []string{filepath.Join(gd.common, "config"), filepath.Join(gd.dir, "config.worktree")} {
		part, err := readRegular(path, 1<<20)
		if err == nil {
			text = append(append(text, part...), '\n')
		}
	}
	c := &r.configs
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known && c.text == string(text) {
		return c.entries, nil
	}
	cmd := exec.CommandContext(ctx, r.git, "config", "--file", "-", "--no-includes", "-z", "--list")
	cmd.Env = append(r.env(call{}), "GIT_CEILING_DIRECTORIES=/")
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &DamageError{"git cannot read its configuration (.git/config)"}
	}
	var entries []configEntry
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if key, value, _ := strings.Cut(entry, "\n"); key != "" {
			entries = append(entries, configEntry{key, value})
		}
	}
	c.text, c.entries, c.known = string(text), entries, true
	return entries, nil
}

// readConfig adds each key with a sum of its values, and the remotes.
func (gd gitDir) readConfig(g rule.GitState, entries []configEntry) {
	values, remotes, named := map[string][]string{}, map[string][]string{}, map[string]string{}
	for _, e := range entries {
		values[e.key] = append(values[e.key], e.value)
		rest, ok := strings.CutPrefix(e.key, "remote.")
		dot := strings.LastIndexByte(rest, '.')
		if !ok || dot < 0 {
			continue
		}
		name := rest[:dot]
		if kind := rest[dot:]; kind == ".url" || kind == ".pushurl" {
			remotes[name] = append(remotes[name], kind, e.value)
			if place, ok := RemoteName(e.value); ok && (named[name] == "" || kind == ".pushurl") {
				named[name] = place
			}
		}
	}
	for key, list := range values {
		g[rule.GitFact{Kind: rule.GitConfig, Name: key}] = factSum(list...)
	}
	for name, list := range remotes {
		g[rule.GitFact{Kind: rule.GitRemote, Name: name}] = strings.TrimSpace(factSum(list...) + " " + named[name])
	}
}

// hooksDir is where git looks for hooks.
func hooksDir(gd gitDir, top string, entries []configEntry) string {
	dir := filepath.Join(gd.common, "hooks")
	for _, e := range entries {
		if e.key == "core.hookspath" && e.value != "" {
			dir = e.value
		}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(top, dir)
	}
	return dir
}

// readHooks adds the programs that git would run.
func (gd gitDir) readHooks(g rule.GitState, dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 || strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		text, err := readRegular(filepath.Join(dir, e.Name()), hookBytes)
		if err != nil {
			text = []byte(err.Error())
		}
		g[rule.GitFact{Kind: rule.GitHook, Name: e.Name()}] = factSum(string(text))
	}
}
