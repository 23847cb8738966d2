package tree

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// read reads files, several at once, and stores their content. For a path that is no
// longer a file it returns an entry without a mode.
func (rec *recording) read(ctx context.Context, files []adding) ([]known, error) {
	out := make([]known, len(files))
	progress := progressOf(ctx)
	progress.all.Add(int64(len(files)))
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(files)))
	for w := range errs {
		all.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				if errs[w] = ctx.Err(); errs[w] == nil {
					out[i], errs[w] = rec.readOne(files[i])
					progress.done.Add(1)
				}
			}
		})
	}
	all.Wait()
	return out, errors.Join(errs...)
}

// mostReads bounds the reads of a file that changes meanwhile. Then the last read counts,
// and the next Record reads the file again.
const mostReads = 3

// heldBytes is how much of a file memory holds.
const heldBytes = 8 << 20

func (rec *recording) readOne(a adding) (e known, err error) {
	if id, ok := rec.knew(a); ok {
		return known{path: a.path, mode: a.mode, id: id, mark: a.mark}, nil
	}
	path := filepath.Join(rec.r.ws.Path, a.path)
	for n := 1; ; n++ {
		var st unix.Stat_t
		began := time.Now()
		err := unix.Lstat(path, &st)
		mode, m := modeOf(&st), markOf(&st)
		switch {
		// The scan saw the file with its mark below the top, through no link.
		case gone(err) || err == nil && (mode == "" || (a.mode == "" || m != a.mark) && rec.behindLink(a.path)):
			return known{path: a.path}, nil
		case err != nil:
			return e, fmt.Errorf("%w: %q: %w", ErrUnreadable, a.path, err)
		}
		id, same, err := rec.content(path, mode, m)
		switch {
		case err == nil && same:
			return known{path: a.path, mode: mode, id: id, mark: m.settled(began)}, nil
		case err == nil && n == mostReads:
			return known{path: a.path, mode: mode, id: id}, nil
		case n == mostReads || err != nil && !gone(err) && !errors.Is(err, unix.ELOOP) && !errors.Is(err, errChanging):
			return e, fmt.Errorf("%w: %q: %w", ErrUnreadable, a.path, err)
		}
	}
}

// knew finds the id of a file, if an earlier Record read it in the state that the scan
// saw.
func (rec *recording) knew(a adding) (string, bool) {
	if a.mode == "" {
		return "", false
	}
	x := rec.before()
	i, ok := x.at(a.path)
	if !ok || x.list[i].mark != a.mark || x.list[i].mode != a.mode || !rec.objects.has(x.list[i].id) {
		return "", false
	}
	return x.list[i].id, true
}

// content stores the content of a file, or the target of a link. It says whether the
// state of the file was the same before and after.
func (rec *recording) content(path, mode string, m mark) (id string, same bool, err error) {
	if mode == modes[2] {
		to, err := os.Readlink(path)
		if err != nil {
			return "", false, err
		}
		var st unix.Stat_t
		same = unix.Lstat(path, &st) == nil && markOf(&st) == m
		id, err = rec.objects.put("blob", []byte(to))
		return id, same, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock|unix.O_NOFOLLOW, 0)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	now := func() (mark, error) {
		var st unix.Stat_t
		if err := unix.Fstat(int(f.Fd()), &st); err != nil || modeOf(&st) != mode {
			return mark0, errors.Join(errChanging, err)
		}
		return markOf(&st), nil
	}
	was, err := now()
	if err != nil {
		return "", false, err
	}
	if was.dev != m.dev || was.ino != m.ino {
		return "", false, errChanging // another file, in an unknown place
	}
	if was.size > heldBytes {
		id, err = rec.objects.putFile(f, int64(was.size))
	} else {
		text := make([]byte, was.size, was.size+1)
		var k int
		if k, err = io.ReadFull(f, text); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil // the file was cut meanwhile
		}
		if err == nil {
			id, err = rec.objects.put("blob", text[:k])
		}
	}
	if err != nil {
		return "", false, err
	}
	is, err := now()
	return id, was == m && is == m, err
}

var mark0 mark

// planting makes trees of entries.
type planting struct {
	objects *objects
	have    map[string]bool // trees that exist
	made    []string        // all trees of these entries
}

// errFileAndFolder says that files became folders, or the reverse, during the scan.
var errFileAndFolder = errors.New("it became a folder, or a file, meanwhile")

// plant returns the tree of all entries.
func (t *planting) plant(list []known) (string, error) {
	id, err := t.tree(list, 0)
	slices.Sort(t.made)
	t.made = slices.Compact(t.made)
	return id, err
}

// tree makes the tree of entries with the same first bytes in their paths.
func (t *planting) tree(list []known, skip int) (string, error) {
	text := make([]byte, 0, len(list)*48)
	one := func(mode, name, id string) (err error) {
		text = append(text, mode+" "+name+"\x00"...)
		text, err = hex.AppendDecode(text, []byte(id))
		return err
	}
	for i := 0; i < len(list); {
		name, _, folder := strings.Cut(list[i].path[skip:], "/")
		if !folder {
			if err := one(list[i].mode, name, list[i].id); err != nil {
				return "", err
			}
			i++
			continue
		}
		below := skip + len(name) + 1
		dir := list[i].path[:below]
		end := i
		for end < len(list) && strings.HasPrefix(list[end].path, dir) {
			end++
		}
		if _, both := (index{list: list}).at(dir[:below-1]); both {
			return "", fmt.Errorf("%w: %q: %w", ErrUnreadable, dir[:below-1], errFileAndFolder)
		}
		id, err := t.tree(list[i:end], below)
		if err == nil {
			err = one("40000", name, id)
		}
		if err != nil {
			return "", err
		}
		i = end
	}
	return t.take(text)
}

func (t *planting) take(text []byte) (string, error) {
	id, _ := t.objects.r.named("tree", text)
	t.made = append(t.made, id)
	if t.have[id] {
		return id, nil
	}
	return t.objects.put("tree", text)
}
