package archive_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"autopilot/daemon/store/archive"
	"autopilot/events"
)

func overwrite(t testing.TB, path string, b []byte) {
	t.Helper()
	must(t, os.WriteFile(path, b, 0o600))
}

// sample is a bundle of two runs and two texts, one of them redacted.
func sample(t testing.TB) *parts {
	t.Helper()
	var out bytes.Buffer
	w := archive.NewWriter(&out, whom)
	for _, s := range []*story{done("aaaa", 2), done("bbbb", 0)} {
		must(t, w.Run(s.Run, s.stored()))
	}
	must(t, w.Text(ref("task"), []byte("task")))
	must(t, w.Text(ref("key 1"), []byte("key *")))
	_, err := w.Close()
	must(t, err)
	return takeApart(t, out.Bytes())
}

// proof is what opening and proving a bundle says.
func proof(t *testing.T, b []byte) error {
	t.Helper()
	got, err := archive.Open(file(t, b))
	if err != nil {
		return err
	}
	defer got.Close()
	return got.Check(t.Context())
}

func TestASampleThatNobodyChangedIsProven(t *testing.T) {
	t.Parallel()
	must(t, proof(t, sample(t).build(t)))
}

func TestWhatIsWrongWithABundleIsNamed(t *testing.T) {
	t.Parallel()
	first, task := done("aaaa", 2).ID, "texts/"+string(ref("task"))
	entry := "runs/" + first + ".ndjson"
	for name, tt := range map[string]struct {
		worse func(*parts)
		want  string
	}{
		"no manifest":               {func(p *parts) { p.drop("manifest.json") }, `"manifest.json": it is missing`},
		"a manifest twice":          {func(p *parts) { p.twice = "manifest.json" }, `"manifest.json": it is there twice`},
		"a run twice":               {func(p *parts) { p.twice = entry }, "it is there twice"},
		"a path that leads out":     {func(p *parts) { p.put("../../.bashrc", nil) }, `"../../.bashrc": the manifest does not have it`},
		"a path from the root":      {func(p *parts) { p.put("/etc/passwd", nil) }, `"/etc/passwd": the manifest does not have it`},
		"a folder":                  {func(p *parts) { p.put("runs/", nil) }, `"runs/": the manifest does not have it`},
		"a text that nobody listed": {func(p *parts) { p.put("texts/"+sum(nil), nil) }, "the manifest does not have it"},
		"a run that nobody listed":  {func(p *parts) { p.put("runs/01JX.ndjson", nil) }, `"runs/01JX.ndjson": the manifest does not have it`},
		"a name with an escape":     {func(p *parts) { p.put("\x1b[2Jx", nil) }, `"\x1b[2Jx": the manifest does not have it`},

		"a manifest that is junk":      {func(p *parts) { p.raw = "junk" }, `"manifest.json": `},
		"a manifest that is cut":       {func(p *parts) { p.raw = `{"schema":"autopilot.bundle"` }, `"manifest.json": `},
		"a manifest that is deep":      {func(p *parts) { p.raw = strings.Repeat("[", 1<<20) }, `"manifest.json": `},
		"a manifest of something else": {func(p *parts) { p.manifest.Schema = "x" }, `its schema is "x"`},
		"a format before the first":    {func(p *parts) { p.manifest.Format = 0 }, "its format 0"},
		"a text in it without end":     {func(p *parts) { p.raw = `{"schema":"` + strings.Repeat("x", 1<<20) + `"}` }, "a text in it is too long"},
		"too many runs":                {func(p *parts) { p.raw = `{"runs":[` + strings.Repeat(`{"id":""},`, 1<<17) + `{}]}` }, "more entries than a bundle may hold"},
		"too many missing ones":        {func(p *parts) { p.raw = `{"missing":[` + strings.Repeat(`"",`, 1<<19) + `""]}` }, "more entries than a bundle may hold"},
		"a version that is a text":     {func(p *parts) { p.manifest.Version = "v1\x1b[2J" }, "version, host or generation"},

		"a run that is not there": {func(p *parts) { p.drop(entry) }, "it is missing"},
		"an id that is a path":    {func(p *parts) { p.manifest.Runs[0].ID = "../x" }, `run "../x" is not a valid id`},
		"runs out of order": {func(p *parts) {
			p.manifest.Runs[0], p.manifest.Runs[1] = p.manifest.Runs[1], p.manifest.Runs[0]
		}, "not in its order"},
		"a run that is listed twice": {func(p *parts) { p.manifest.Runs = append(p.manifest.Runs[:1], p.manifest.Runs...) }, "not in its order"},
		"a handle that is a text":    {func(p *parts) { p.manifest.Runs[0].Handle = "a b" }, "impossible handle"},
		"a state that is a text":     {func(p *parts) { p.manifest.Runs[0].State = "\x1b[31mdone" }, "impossible state"},
		"a length below nothing":     {func(p *parts) { p.manifest.Runs[0].Bytes = -1 }, "impossible hash or length"},
		"another hash of a run":      {func(p *parts) { p.manifest.Runs[0].SHA256 = events.Digest(sum(nil)) }, "it has another hash than the manifest says"},
		"a run that is longer":       {func(p *parts) { p.manifest.Runs[0].Bytes-- }, "it is longer than the manifest says"},
		"a run that is shorter":      {func(p *parts) { p.manifest.Runs[0].Bytes++ }, "it is shorter than the manifest says"},
		"another head":               {func(p *parts) { p.manifest.Runs[0].Head = sum(nil) }, "run " + first + " event 6: it has another hash than the manifest says"},
		"another number of events":   {func(p *parts) { p.manifest.Runs[0].Events++ }, "run " + first + ": it has 6 events, the manifest says 7"},
		"a break that is none":       {func(p *parts) { p.manifest.Runs[0].Broken = 2 }, "run " + first + " event 2: it follows the one before"},

		"an event that is changed": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte {
				l[1] = bytes.Replace(l[1], []byte("daemon:"), []byte("demon:"), 1)
				return l
			})
		}, "run " + first + " event 3: it carries another hash than event 2 has"},
		"an event that is gone": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { return append(l[:2], l[3:]...) })
		}, "run " + first + " event 3: it is event 4, where 3 was due"},
		"an end that is gone": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { return l[:4] })
		}, "run " + first + ": it has 4 events, the manifest says 6"},
		"two events the wrong way": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { l[2], l[3] = l[3], l[2]; return l })
		}, "run " + first + " event 3: it is event 4"},
		"a line that is junk": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { l[2] = []byte("junk\n"); return l })
		}, "run " + first + " event 3: "},
		"an event of another run": {func(p *parts) {
			p.lines(func([][]byte) [][]byte {
				return bytes.SplitAfter(p.content["runs/"+done("bbbb", 0).ID+".ndjson"], []byte("\n"))[:2]
			})
		}, "it is an event of run." + done("bbbb", 0).ID},
		"an empty line": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { return append(l, []byte("\n")) })
		}, "run " + first + " event 7: an empty line"},
		"a last line without end": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { return append(l, []byte("x")) })
		}, "run " + first + " event 7: the last line has no end"},
		"a line that is no base64": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { return append(l, []byte("=!\n")) })
		}, "run " + first + " event 7: a line in base64"},
		"two forms of one event": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { return append(l, []byte("=e30=\n")) })
		}, "run " + first + " event 7: a line in base64 that needs none"},
		"a line without end": {func(p *parts) {
			p.lines(func(l [][]byte) [][]byte { return append(l, bytes.Repeat([]byte("x"), 12<<20)) })
		}, "run " + first + " event 7: "},

		"a text that is changed":        {func(p *parts) { p.put(task, []byte("tusk")) }, "it has another hash than the manifest says"},
		"a text that is longer":         {func(p *parts) { p.put(task, []byte("task!")) }, "it is longer than the manifest says"},
		"a text that is not there":      {func(p *parts) { p.drop(task) }, "it is missing"},
		"a name that is no hash":        {func(p *parts) { p.manifest.Texts[0].Ref = "../x" }, `text "../x" is not a hash`},
		"a text with a vast length":     {func(p *parts) { p.manifest.Texts[0].Bytes = 1 << 40 }, "impossible length"},
		"a missing one that is no hash": {func(p *parts) { p.manifest.Missing = []events.Ref{"x"} }, `missing text "x" is not a hash`},
		"a text that unpacks to a lot":  {bomb, "it is longer than the manifest says"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sample(t)
			tt.worse(p)
			err := proof(t, p.build(t))
			if !errors.Is(err, archive.ErrDamaged) || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("error %v, want damage with %s", err, tt.want)
			}
		})
	}
}

func bomb(p *parts) { p.put("texts/"+string(ref("task")), make([]byte, 4<<20)) }

func TestABundleOfANewerFormatIsCalledThat(t *testing.T) {
	t.Parallel()
	for name, worse := range map[string]func(*parts){
		"with other entries":  func(p *parts) { p.manifest.Format = 2; p.put("more/x", nil) },
		"with another shape":  func(p *parts) { p.raw = `{"schema":"autopilot.bundle","format":9,"runs":{"x":1}}` },
		"with more than fits": func(p *parts) { p.manifest.Format = 2; p.manifest.Runs[0].Bytes = -4 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sample(t)
			worse(p)
			if err := proof(t, p.build(t)); !errors.Is(err, archive.ErrNewer) || errors.Is(err, archive.ErrDamaged) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestMembersThatAreNotKnownAreSkipped(t *testing.T) {
	t.Parallel()
	p := sample(t)
	b := takeApart(t, p.build(t)).content["manifest.json"]
	p.raw = strings.Replace(string(b), `{"schema"`, `{"since":{"a":[1,2]},"schema"`, 1)
	must(t, proof(t, p.build(t)))
}

func TestAFileThatIsNoBundleIsDamaged(t *testing.T) {
	t.Parallel()
	whole := sample(t).build(t)
	flipped := bytes.Clone(whole)
	flipped[90] ^= 1
	for name, b := range map[string][]byte{
		"empty": {}, "junk": []byte("junk"), "cut": whole[:len(whole)-9], "half": whole[len(whole)/2:], "a flipped bit": flipped,
		"a shared entry":   shared(t),
		"a vast directory": vast(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := proof(t, b); !errors.Is(err, archive.ErrDamaged) {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := archive.Open(t.TempDir()); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := archive.Open("nowhere"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// shared is a zip file whose directory gives the bytes of one entry to many.
func shared(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	var packed bytes.Buffer
	f, err := flate.NewWriter(&packed, flate.BestCompression)
	must(t, err)
	zeros := make([]byte, 1<<20)
	_, err = f.Write(zeros)
	must(t, errors.Join(err, f.Close()))
	h := &zip.FileHeader{Name: "aaaa", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(zeros), CompressedSize64: uint64(packed.Len()), UncompressedSize64: 1 << 20}
	w, err := z.CreateRaw(h)
	must(t, err)
	_, err = w.Write(packed.Bytes())
	must(t, err)
	for i := range 64 {
		again := *h
		again.Name = fmt.Sprintf("a%03d", i)
		_, err := z.CreateRaw(&again)
		must(t, err)
	}
	must(t, z.Close())
	return out.Bytes()
}

// vast is a zip file of nothing but a directory, of many megabytes.
func vast() []byte {
	const name, entries = 60 << 10, 1500
	head := make([]byte, 46+name)
	copy(head, "PK\x01\x02")
	binary.LittleEndian.PutUint16(head[28:], name)
	out := bytes.Repeat(head, entries)
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[8:], entries)
	binary.LittleEndian.PutUint16(end[10:], entries)
	binary.LittleEndian.PutUint32(end[12:], uint32(len(out)))
	return append(out, end...)
}

func FuzzBundle(f *testing.F) {
	good := sample(f).build(f)
	f.Add(good)
	f.Add(write(f, whom, nil))
	f.Add(good[:len(good)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		read(t, file(t, b))
	})
}

// FuzzRun reads a bundle whose run is whatever it is, and whose manifest agrees.
func FuzzRun(f *testing.F) {
	for _, s := range []*story{done("aaaa", 2), done("aaaa", 0).raw([]byte("junk")), done("aaaa", 0).raw([]byte("a\nb"))} {
		f.Add(takeApart(f, write(f, whom, []*story{s})).content["runs/"+s.ID+".ndjson"])
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		p := sample(t)
		p.lines(func([][]byte) [][]byte { return [][]byte{lines} })
		read(t, file(t, p.build(t)))
	})
}

// read reads all of a bundle; whatever is wrong with it must be an error.
func read(t *testing.T, path string) {
	t.Helper()
	b, err := archive.Open(path)
	if err != nil {
		return
	}
	defer b.Close()
	_ = b.Check(t.Context())
	for _, r := range b.Manifest().Runs {
		for _, err := range b.Events(r.ID, 1) {
			_ = err // the next one may come all the same
		}
	}
	for _, text := range b.Manifest().Texts {
		_, _ = b.Text(text.Ref)
	}
}
