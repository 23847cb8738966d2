package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// trackedPrefix begins a line that git reads as a comment and Record as the
// name of a file that the user's index tracks although it is ignored or large.
const trackedPrefix = "#tracked "

// FreezeIgnore returns the ignore rules of the workspace as they are now, as
// one text in the form of a .gitignore at the top: the user's excludesFile,
// .git/info/exclude and all .gitignore files, nested ones rewritten. Files that
// the user's index tracks although a rule ignores them, or although they are
// large, are named in comments that Record understands. The caller keeps the
// text and gives it to every Record of the run. What the globs of keep name is recorded
// even if the user's rules ignore it.
func (r *Repo) FreezeIgnore(ctx context.Context, userHome string, keep ...string) ([]byte, error) {
	text, err := r.freeze(ctx, userHome, keep)
	if err != nil {
		return nil, fmt.Errorf("freeze ignore rules of %s: %w", r.ws.Path, err)
	}
	return text, nil
}

func (r *Repo) freeze(ctx context.Context, userHome string, keep []string) ([]byte, error) {
	gd, err := gitDirOf(r.ws.Path)
	if err != nil {
		return nil, r.goneOr(err)
	}
	text, err := r.ignoreRules(ctx, userHome, gd)
	if err != nil {
		return nil, err
	}
	var rules strings.Builder
	rules.WriteString(text)
	for _, glob := range keep {
		rules.WriteString(unignore(rules.String(), glob))
	}
	tracked, err := r.trackedAnyway(ctx, gd, rules.String())
	if err != nil {
		return nil, err
	}
	for _, path := range tracked {
		rules.WriteString(trackedPrefix + strconv.QuoteToASCII(path) + "\n")
	}
	return []byte(rules.String()), nil
}

// unignore is the rules with which a glob is recorded although other rules ignore its
// files. What else is in an ignored folder stays ignored.
func unignore(rules, glob string) string {
	var more strings.Builder
	parts := strings.Split(glob, "/")
	for i, dir := range parts {
		path := strings.Join(parts[:i+1], "/")
		last := i == len(parts)-1
		if last || strings.ContainsAny(dir, `*?[{\`) {
			break
		}
		if parseIgnore([]byte(rules+more.String())).match(path, true) {
			more.WriteString("!/" + path + "/\n/" + path + "/*\n")
		}
	}
	if more.Len() == 0 && !parseIgnore([]byte(rules)).match(glob, false) {
		return ""
	}
	return more.String() + "!/" + glob + "\n"
}

// ignoreRules are the rules of the workspace as one text.
func (r *Repo) ignoreRules(ctx context.Context, userHome string, gd gitDir) (string, error) {
	excludes, err := r.excludesFile(ctx, userHome, gd)
	if err != nil {
		return "", err
	}
	var outer strings.Builder
	for _, path := range []string{excludes, filepath.Join(gd.common, "info", "exclude")} {
		if text, err := readRegular(path, 16<<20); err == nil {
			rewriteRules(&outer, "", text)
		}
	}
	return r.nestedRules(ctx, outer.String())
}

// excludesFile finds core.excludesFile as git would, reading configuration as
// data: the repository's file wins over the user's two.
func (r *Repo) excludesFile(ctx context.Context, home string, gd gitDir) (string, error) {
	xdg := filepath.Join(home, ".config", "git")
	for _, config := range []string{filepath.Join(gd.common, "config"), filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "config")} {
		path, err := r.configValue(ctx, config, "core.excludesfile")
		if err != nil {
			return "", err
		}
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home, rest)
		}
		if path != "" && !filepath.IsAbs(path) {
			path = filepath.Join(r.ws.Path, path)
		}
		if path != "" {
			return path, nil
		}
	}
	return filepath.Join(xdg, "ignore"), nil
}

// nestedRules adds the rules of the .gitignore files to the outer ones. Which of them count depends on what
// the others ignore: a second look leaves out those in folders that are ignored by one
// below the top.
func (r *Repo) nestedRules(ctx context.Context, outer string) (string, error) {
	top := strings.Builder{}
	r.rulesIn(&top, "")
	known := outer + top.String()
	for range 2 {
		found := strings.Builder{}
		if err := r.rulesBelow(ctx, &found, "", parseIgnore([]byte(known))); err != nil {
			return "", err
		}
		if outer+found.String() == known {
			break
		}
		known = outer + found.String()
	}
	return known, nil
}

// rulesIn adds the rules of one folder. A .gitignore that is no file has none, as for
// git, and so has one that cannot be read.
func (r *Repo) rulesIn(rules *strings.Builder, dir string) {
	ignore := filepath.Join(r.ws.Path, dir, ".gitignore")
	if info, err := os.Lstat(ignore); err != nil || !info.Mode().IsRegular() {
		return
	}
	if text, err := readRegular(ignore, 16<<20); err == nil {
		rewriteRules(rules, dir, text)
	}
}

// rulesBelow collects the .gitignore files from dir downwards, outer ones
// first: the last rule that matches decides, so inner ones win as they do in
// git. A folder that is ignored as a whole may be so because of its own
// .gitignore, which is therefore read.
func (r *Repo) rulesBelow(ctx context.Context, rules *strings.Builder, dir string, known ignoring) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.rulesIn(rules, dir)
	if dir != "" && known.match(dir, true) {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(r.ws.Path, dir))
	if dir != "" && (errors.Is(err, fs.ErrNotExist) || outOfReach(err)) {
		return nil
	}
	if err != nil {
		return r.goneOr(err)
	}
	for _, e := range entries {
		sub := filepath.Join(dir, e.Name())
		if !e.IsDir() || e.Name() == ".git" {
			continue
		}
		if _, err := gitDirOf(filepath.Join(r.ws.Path, sub)); err == nil {
			continue // a nested repository has rules of its own
		}
		if err := r.rulesBelow(ctx, rules, sub, known); err != nil {
			return err
		}
	}
	return nil
}

// rewriteRules appends the rules of a .gitignore in dir, as seen from the top.
func rewriteRules(b *strings.Builder, dir string, text []byte) {
	for line := range strings.SplitSeq(strings.TrimPrefix(string(text), "\ufeff"), "\n") {
		line = trimSpaces(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' || strings.ContainsRune(line, 0) {
			continue
		}
		if dir == "" {
			b.WriteString(line + "\n")
			continue
		}
		rule, negated := strings.CutPrefix(line, "!")
		if negated {
			b.WriteByte('!')
		}
		if !negated && (strings.HasPrefix(rule, `\!`) || strings.HasPrefix(rule, `\#`)) {
			rule = rule[1:] // the escape is needed at the start of a line only
		}
		b.WriteString("/" + escapeRule(dir) + "/")
		if !strings.Contains(strings.TrimSuffix(rule, "/"), "/") {
			b.WriteString("**/") // a bare name matches at any depth
		}
		b.WriteString(strings.TrimPrefix(rule, "/") + "\n")
	}
}

// trimSpaces drops trailing spaces unless the last one is escaped.
func trimSpaces(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// escapeRule makes a folder's name literal in a rule. A line break cannot be
// written in one, so it becomes "any character".
func escapeRule(dir string) string {
	var b strings.Builder
	for _, c := range []byte(dir) {
		switch c {
		case '*', '?', '[', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n', '\r':
			b.WriteByte('?')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// trackedAnyway lists the files of the user's index that the rules ignore or
// that are large. It reads a copy: the user's index is never opened for more.
func (r *Repo) trackedAnyway(ctx context.Context, gd gitDir, rules string) ([]string, error) {
	all, err := r.indexed(ctx, gd)
	if err != nil {
		return nil, err
	}
	ignored := parseIgnore([]byte(rules))
	var list []string
	for _, path := range all {
		info, err := os.Lstat(filepath.Join(r.ws.Path, path))
		if ignored.below(path) || err == nil && info.Mode().IsRegular() && info.Size() > r.large {
			list = append(list, path)
		}
	}
	return list, nil
}

// borrowSharedIndex copies the base files of a split index to where git looks
// for them, and returns what removes them again.
func (r *Repo) borrowSharedIndex(gd gitDir) func() {
	var made []string
	found, _ := filepath.Glob(filepath.Join(gd.dir, "sharedindex.*")) // the pattern is valid
	for _, path := range found {
		text, err := readRegular(path, 1<<30)
		to := filepath.Join(r.dir, filepath.Base(path))
		if err == nil && os.WriteFile(to, text, 0o600) == nil {
			made = append(made, to)
		}
	}
	return func() {
		for _, path := range made {
			_ = os.Remove(path)
		}
	}
}

// trackedPaths reads the comments that FreezeIgnore left for Record.
func trackedPaths(ignore []byte) map[string]bool {
	paths := map[string]bool{}
	for line := range strings.SplitSeq(string(ignore), "\n") {
		quoted, ok := strings.CutPrefix(line, trackedPrefix)
		if !ok {
			continue
		}
		if path, err := strconv.Unquote(quoted); err == nil && filepath.IsLocal(path) {
			paths[path] = true
		}
	}
	return paths
}

// goneOr tells a missing workspace from any other error.
func (r *Repo) goneOr(err error) error {
	if info, statErr := os.Stat(r.ws.Path); errors.Is(statErr, fs.ErrNotExist) || (statErr == nil && !info.IsDir()) {
		return fmt.Errorf("%s: %w", r.ws.Path, ErrGone)
	}
	if isShut(r.ws.Path) {
		return fmt.Errorf("%s cannot be read: %w", r.ws.Path, ErrGone)
	}
	return err
}
