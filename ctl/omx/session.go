package omx

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"autopilot/projections/omx"
)

// class says what a session pointer is worth.
type class int

const (
	absent   class = iota
	unusable       // it cannot be read, or is that of another directory
	gone           // its process has ended
	unproven       // nothing shows that its process is the one that wrote it
	usable
)

// pointer is session.json.
type pointer struct {
	class   class
	session string
	aliases []string
	text    string // as it was read
}

func (p pointer) is(id string) bool { return id == p.session || slices.Contains(p.aliases, id) }

// readPointer reads the session of a state directory, for a working directory.
//
// Source: oh-my-codex 0.21.6, session pointer; lesson O23.
func readPointer(base, dir string) pointer {
	o, there, err := readObject(filepath.Join(base, "session.json"))
	if err != nil {
		return pointer{class: unusable}
	}
	if !there {
		return pointer{}
	}
	p := pointer{class: unusable, session: id(o, "session_id"), text: string(o.Compact())}
	for _, n := range []string{"native_session_id", "owner_omx_session_id", "owner_codex_session_id", "codex_session_id", "previous_native_session_id"} {
		if a := id(o, n); a != "" {
			p.aliases = append(p.aliases, a)
		}
	}
	cwd := o.Text("cwd")
	if p.session == "" || cwd == "" || !filepath.IsAbs(cwd) {
		return p
	}
	root := o.Text("state_root")
	if root == "" {
		root = filepath.Join(cwd, ".omx", "state")
	}
	if canonical(root) != canonical(base) || !below(canonical(cwd), canonical(dir)) {
		return p
	}
	p.class = living(o)
	return p
}

func id(o omx.Object, name string) string {
	if s := o.Text(name); omx.CheckID(s) == nil {
		return s
	}
	return ""
}

// living says whether the process of a pointer is the one that wrote it: by its start,
// and by its command line where that was recorded.
func living(o omx.Object) class {
	pid, err := strconv.Atoi(string(o.Raw("pid")))
	if err != nil || pid <= 0 {
		return gone
	}
	birth, hash := string(o.Raw("pid_start_ticks")), ""
	if c := line(o.Text("pid_cmdline")); c != "" {
		hash = digest(c)
	}
	if id := o.Sub("process_identity"); id != nil {
		if id.Text("platform") != runtime.GOOS {
			return unproven
		}
		birth, hash = id.Text("birth"), id.Text("cmdline_hash")
	}
	started, command, alive := process(pid)
	switch {
	case !alive:
		return gone
	case birth == "" || birth == "null" || started == "":
		return unproven
	case birth != started, hash != "" && hash != digest(line(command)):
		return gone
	}
	return usable
}

func line(s string) string { return strings.Join(strings.Fields(s), " ") }

func digest(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// sessionOf is the session in the first of these variables that has one.
func (s *Store) sessionOf(names ...string) string {
	for _, n := range names {
		if v := strings.TrimSpace(s.getenv(n)); omx.CheckID(v) == nil {
			return v
		}
	}
	return ""
}
