package work

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/phrase"
)

// page is a file of a presented set: its text, or its kind if no text can show it.
type page struct {
	path   string
	text   string
	link   bool // the text is the link's target
	opaque stored.Opaque
}

// The bounds of files on show as text. A person approves longer files by their hash.
const (
	pageBytes = 8 << 20
	setBytes  = 32 << 20
)

// pagesOf reads the files of a set.
func pagesOf(ctx context.Context, repo *tree.Repo, set []tree.Entry) ([]page, error) {
	inside := slices.DeleteFunc(slices.Clone(set), func(e tree.Entry) bool { return e.Kind == tree.Outside })
	texts, err := repo.Texts(ctx, inside)
	if err != nil {
		return nil, fmt.Errorf("show a set: %w", err)
	}
	var out []page
	sum := 0
	for _, e := range set {
		if e.Kind == tree.Outside {
			out = append(out, page{path: e.Path, opaque: stored.Opaque{Path: pathText(e.Path), Kind: stored.OpaqueOutside, Hash: e.ID}})
			continue
		}
		pg := newPage(e.Path, texts[0], setBytes-sum)
		pg.link = e.Kind == tree.Link
		out, texts = append(out, pg), texts[1:]
		sum += len(pg.text)
	}
	return out, nil
}

// newPage decides whether text can show a file within the bytes that are left.
func newPage(path string, content []byte, left int) page {
	var kind stored.OpaqueKind
	switch {
	case bytes.IndexByte(content, 0) >= 0:
		kind = stored.OpaqueBinary
	case !utf8.Valid(content):
		kind = stored.OpaqueEncoding
	case len(content) > min(pageBytes, left):
		kind = stored.OpaqueLarge
	default:
		return page{path: path, text: string(content)}
	}
	return page{path: path, opaque: stored.Opaque{Path: pathText(path), Kind: kind, Bytes: int64(len(content)), Hash: sum(string(content))}}
}

// opaque lists the files that no text can show.
func opaque(pages []page) (list []stored.Opaque) {
	for _, p := range pages {
		if p.opaque.Kind != "" {
			list = append(list, p.opaque)
		}
	}
	return list
}

// readable lists paths, each once and sorted, that are text in every list.
func readable(lists ...[]page) []string {
	var out, not []string
	for _, p := range slices.Concat(lists...) {
		if p.opaque.Kind != "" {
			not = append(not, p.path)
			continue
		}
		out = append(out, p.path)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(path string) bool { return slices.Contains(not, path) })
}

// shownWhole shows files with line numbers, which findings refer to.
func shownWhole(l events.Language, pages []page) string {
	var b strings.Builder
	for _, p := range pages {
		b.WriteString(shownPage(l, p))
	}
	return b.String()
}

func shownPage(l events.Language, p page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n", pathText(p.path))
	if note := pageNote(l, p); note != "" {
		b.WriteString("  " + note + "\n")
	}
	n := 0
	for line := range strings.Lines(p.text) {
		n++
		fmt.Fprintf(&b, "%4d  %s\n", n, strings.TrimSuffix(line, "\n"))
	}
	return b.String()
}

// pageNote adds facts that the lines of a file do not show.
func pageNote(l events.Language, p page) string {
	switch o := p.opaque; {
	case o.Kind != "":
		return opaqueText(l, o)
	case p.link:
		return phrase.Say(l, "(a link; its target follows)", "(リンク。内容はリンク先)")
	case p.text == "":
		return phrase.Say(l, "(empty: 0 bytes)", "(空: 0 バイト)")
	case strings.IndexFunc(p.text, func(r rune) bool { return !unicode.IsSpace(r) }) < 0:
		return phrase.Say(l, "(white space only: %d bytes)", "(空白のみ: %d バイト)", len(p.text))
	}
	return ""
}

// opaqueText describes a file that no text can show.
func opaqueText(l events.Language, o stored.Opaque) string {
	kind := string(o.Kind)
	switch o.Kind {
	case stored.OpaqueBinary:
		kind = phrase.Say(l, "binary, %d bytes", "バイナリ、%d バイト", o.Bytes)
	case stored.OpaqueEncoding:
		kind = phrase.Say(l, "no valid UTF-8, %d bytes", "UTF-8 ではない、%d バイト", o.Bytes)
	case stored.OpaqueLarge:
		kind = phrase.Say(l, "too large to be shown as text, %d bytes", "テキスト表示には大きすぎる、%d バイト", o.Bytes)
	case stored.OpaqueOutside:
		kind = phrase.Say(l, "its content is not recorded", "内容は記録されていない")
	}
	return phrase.Say(l, "(%s; view it with another program: ok needs the start of this hash)\n  SHA-256 %s", "(%s。別の手段で確認してください。ok には次のハッシュの先頭が必要です)\n  SHA-256 %s", kind, o.Hash)
}

// shownOpaque lists changes that no text can compare: files that are opaque now, and
// files that became text.
func shownOpaque(l events.Language, then, now []page) string {
	var b strings.Builder
	for _, p := range now {
		was := slices.IndexFunc(then, func(t page) bool { return t.path == p.path })
		if p.opaque.Kind != "" || was >= 0 && then[was].opaque.Kind != "" {
			b.WriteString(shownPage(l, p))
		}
	}
	for _, t := range then {
		if t.opaque.Kind != "" && !slices.ContainsFunc(now, func(p page) bool { return p.path == t.path }) {
			fmt.Fprintf(&b, "\n%s\n\n  %s\n", pathText(t.path), phrase.Say(l, "(it is gone)", "(削除されています)"))
		}
	}
	return b.String()
}
