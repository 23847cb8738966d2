package agent

import (
	"path/filepath"
	"strings"
)

// Transcripts are the files in which a program writes down its session while it
// works, as far as they are known before it starts: one that prints nothing may
// still write there. Programs that name them by what they only decide then have
// none here.
// Source: Agent programs, C.1.
func Transcripts(profile string, env []string, dir, session string) []string {
	p, ok := findProgram(profile)
	if !ok || profile != "claude" || !ValidSession(session) {
		return nil
	}
	_, folder := p.login.folder(env, "")
	if !filepath.IsAbs(folder) {
		return nil
	}
	return []string{filepath.Join(folder, "projects", claudeSlug(dir), session+".jsonl")}
}

// claudeSlug is a directory as the name of a folder.
func claudeSlug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
}
