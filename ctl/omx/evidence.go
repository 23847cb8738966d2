package omx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"autopilot/projections/omx"
)

// folders of .omx that evidence lies in.
var folders = []string{"specs", "context", "interviews", "plans"}

// File looks at a file that evidence names, by a path of the working directory. Its
// folder is the one that it lies in both by its name and without links.
func (s *Store) File(path string) omx.File {
	if strings.ContainsRune(path, 0) {
		return omx.File{}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Dir, path)
	}
	path = filepath.Clean(path)
	own := filepath.Join(s.Dir, ".omx")
	real, realOwn := canonical(path), canonical(own)
	f := omx.File{Inside: below(canonical(s.Dir), real) || below(realOwn, real)}
	for _, folder := range folders {
		if in(filepath.Join(own, folder), path) && in(filepath.Join(realOwn, folder), real) {
			f.Folder = folder
		}
	}
	if f.Inside {
		s.content(real, &f)
	}
	return f
}

// in says that a path is something in a directory, and not the directory.
func in(dir, path string) bool { return dir != path && below(dir, path) }

func (s *Store) content(path string, f *omx.File) {
	r, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer func() { _ = r.Close() }()
	st, err := r.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return
	}
	h, blank := sha256.New(), &ink{}
	if _, err := io.Copy(io.MultiWriter(h, blank), r); err != nil || !blank.seen {
		return
	}
	f.There, f.SHA256, f.Modified = true, hex.EncodeToString(h.Sum(nil)), st.ModTime()
}

// ink sees whether anything but blanks was written.
type ink struct{ seen bool }

func (i *ink) Write(p []byte) (int, error) {
	i.seen = i.seen || len(bytes.TrimSpace(p)) > 0
	return len(p), nil
}

// threads finds a sub-agent in subagent-tracking.json: one of the session, or at the root
// one of any session. It reads the file once, at the first call.
func (s *Store) threads(session string) func(string) omx.Thread {
	var sessions omx.Object
	read, names := false, []string{session}
	return func(id string) omx.Thread {
		if !read {
			o, _, err := readObject(filepath.Join(s.Base, "subagent-tracking.json"))
			if err == nil {
				sessions = o.Sub("sessions")
			}
			if p := readPointer(s.Base, s.Dir); p.class == usable && p.is(session) {
				names = append(p.aliases, p.session) // the host counts by its own name of the session
			}
			read = true
		}
		for _, m := range sessions {
			if session != "" && !slices.Contains(names, m.Name) {
				continue
			}
			of := sessions.Sub(m.Name)
			t := of.Sub("threads").Sub(id)
			if t == nil {
				continue
			}
			done, _ := time.Parse(time.RFC3339Nano, t.Text("completed_at"))
			return omx.Thread{
				Known: true, Leader: t.Text("kind") != "subagent" || of.Text("leader_thread_id") == id,
				Native: t.Text("provenance_kind") == "native_subagent",
				Role:   strings.ToLower(t.FirstText("role", "mode")), Completed: done,
			}
		}
		return omx.Thread{}
	}
}

// question finds the record of a question of a scope.
func (s *Store) question(sc Scope) func(string) omx.Question {
	return func(id string) omx.Question {
		if omx.CheckName(id) != nil {
			return omx.Question{}
		}
		o, there, err := readObject(filepath.Join(sc.Dir, "questions", id+".json"))
		if err != nil || !there || o.Text("question_id") != "" && o.Text("question_id") != id {
			return omx.Question{}
		}
		return omx.Question{Answered: o.Text("status") == "answered", Session: o.Text("session_id")}
	}
}

// audit reads the audit of ralph from a JSON file below the working directory.
func (s *Store) audit(path string) omx.Object {
	if path == "" || filepath.IsAbs(path) || filepath.Ext(path) != ".json" {
		return nil
	}
	real := canonical(filepath.Join(s.Dir, path))
	if !below(canonical(s.Dir), real) {
		return nil
	}
	o, _, err := readObject(real)
	if err != nil {
		return nil
	}
	return o
}

// world is what a write has to know. The modes beside it are looked at only if they are
// asked for: a write that begins nothing needs none of them.
func (s *Store) world(sc Scope, mode string) (omx.World, error) {
	w := omx.World{
		Now: s.now, Session: sc.Session, Dir: s.Dir, Pane: strings.TrimSpace(s.getenv("TMUX_PANE")),
		File: s.File, Thread: s.threads(sc.Session), Question: s.question(sc), Audit: s.audit,
	}
	states, broken, err := s.states(sc)
	if err != nil {
		return w, err
	}
	for _, st := range states {
		if st.mode == mode || st.mode == omx.SkillActive || !st.state.True("active") {
			continue
		}
		w.Active = append(w.Active, st.mode)
		if st.mode == "autopilot" {
			w.Phase = omx.Child(st.state.Set("mode", "autopilot"))
		}
	}
	for _, b := range broken {
		if filepath.Base(b) != mode+ending {
			w.Broken = append(w.Broken, b)
		}
	}
	w.Elsewhere = s.elsewhere(sc, mode)
	return w, nil
}

// elsewhere are the modes that are active at the root, and in the other sessions whose
// process is known to live (quirk Q40).
func (s *Store) elsewhere(sc Scope, mode string) []string {
	var scopes []Scope
	if sc.Session != "" {
		scopes = append(scopes, s.scope(""))
	}
	entries, err := os.ReadDir(filepath.Join(s.Base, "sessions"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	p := readPointer(s.Base, s.Dir)
	for _, e := range entries {
		if omx.CheckID(e.Name()) != nil || e.Name() == sc.Session || !e.IsDir() {
			continue
		}
		other := s.scope(e.Name())
		owner, there, err := readObject(filepath.Join(other.Dir, "session-owner.json"))
		if p.class == usable && p.session == e.Name() || there && err == nil && living(owner) == usable {
			scopes = append(scopes, other)
		}
	}
	var active []string
	for _, other := range scopes {
		states, _, err := s.states(other)
		if err != nil {
			continue
		}
		for _, st := range states {
			if st.mode != mode && st.state.True("active") && !slices.Contains(active, st.mode) {
				active = append(active, st.mode)
			}
		}
	}
	return active
}
