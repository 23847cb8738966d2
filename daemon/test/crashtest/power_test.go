//go:build linux

package crashtest

import (
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/events/wire"
)

// TestPowerCut plays power cuts, as facts of file systems go: state and work
// trees are on an ext4 image, and in the middle of the work all processes are
// stopped and the image is copied. What is not in the copy was never synced, so
// a power cut may take it. What a client was told must be there.
func TestPowerCut(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("%d power cuts, repeat with -crash.power=%d -crash.seed=%d", *cuts, *cuts, *seed)
	events := 0
	for i := range *cuts {
		t.Run(fmt.Sprintf("%02d", i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, uint64(i)))
			events += cutOnce(t, time.Duration(100+r.IntN(2900))*time.Millisecond)
		})
	}
	t.Logf("%d events were acknowledged before a cut, and all are there after it", events)
	if events == 0 {
		t.Error("nothing was acknowledged before any cut")
	}
}

// cutRuns is how many runs are at work.
const cutRuns = 3

// acknowledged is what clients were told of a run.
type acknowledged struct {
	id     string
	seq    uint64   // of replies
	events []stored // that a follower got
}

// cutOnce plays one power cut after a time, and gives back how many events were
// acknowledged.
func cutOnce(t *testing.T, after time.Duration) (n int) {
	d := newDisk(t)
	w := d.world
	for i := range cutRuns {
		w.repo(w.path(fmt.Sprintf("ws/%d", i)), map[string]string{"n": "0\n"})
	}
	unix.Sync()
	canary := w.path("ws/canary")
	told := w.work(after, func() {
		if err := os.WriteFile(canary, []byte("not synced"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	d.cut()
	if b, err := os.ReadFile(canary); err == nil && len(b) > 0 {
		t.Error("what was not synced has survived: this is no power cut")
	}
	if a := w.command("", nil, filepath.Join(bin, "autopilotd"), "verify", "--offline"); a.code != 0 && len(told) > 0 {
		t.Errorf("%v", a)
	}
	for _, a := range told {
		n += w.wasKept(a)
	}
	for _, a := range told {
		v := data[wire.RunView](t, w.apctl("wait", a.id, "--json", "--timeout", "60s"))
		if v.State != "done" {
			t.Errorf("run %s goes on to %s %s, want done\n%s", a.id, v.State, v.Reason, w.apctl("why", a.id).stdout)
		}
	}
	w.close()
	return n
}

// work starts runs, calls last, and stops every process of the world after a
// time. It gives back what clients were told until then.
func (w *world) work(after time.Duration, last func()) (told []acknowledged) {
	end := time.Now().Add(after)
	var followers []*follower
	for i := range cutRuns {
		// Each iteration fails in another way, or the run would halt for that.
		a := w.apctl("run", "-d", "--json", "count", "-C", w.path(fmt.Sprintf("ws/%d", i)), "--max-iterations", "30",
			"--gate", `count=tr 0-9 a-j < n; test "$(cat n)" -ge 8`, "--agent-cmd", `echo "$AUTOPILOT_ITERATION" > n; sleep 0.05`)
		v := data[wire.RunView](w.t, a)
		told = append(told, acknowledged{id: v.ID, seq: v.Seq})
		followers = append(followers, w.follow(v.ID))
	}
	time.Sleep(time.Until(end))
	last()
	for i, f := range followers {
		told[i].events = f.so()
	}
	w.freeze()
	for _, f := range followers {
		f.stop()
	}
	return told
}

// so is what a follower got so far.
func (f *follower) so() []stored {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got
}

// freeze stops every process of the world, and those that were started
// meanwhile.
func (w *world) freeze() {
	stopped := map[int]bool{}
	for more := true; more; {
		more = false
		for _, p := range w.processes() {
			if !stopped[p.PID] {
				stopped[p.PID], more = true, true
				_ = proc.Signal(p.Process, unix.SIGSTOP) // it may have ended
			}
		}
	}
}

// killAll ends every process of the world.
func (w *world) killAll() {
	for left := w.processes(); len(left) > 0; left = w.processes() {
		for _, p := range left {
			if err := proc.Signal(p.Process, unix.SIGKILL); err == nil {
				w.awaitEnd(p.Process)
			}
		}
	}
}

// wasKept proves that what clients were told of a run is in its log, and that
// the trees which its events name can be read. It counts the events.
func (w *world) wasKept(a acknowledged) int {
	w.t.Helper()
	log := w.history(a.id)
	if uint64(len(log)) < a.seq || len(log) < len(a.events) {
		w.t.Errorf("run %s has %d events; %d were acknowledged, and %d seen", a.id, len(log), a.seq, len(a.events))
		return 0
	}
	if d := cmp.Diff(bytesOf(a.events), bytesOf(log[:len(a.events)])); d != "" {
		w.t.Errorf("run %s has other events than were seen (-seen +log):\n%s", a.id, d)
	}
	for _, s := range log {
		w.hasTrees(s)
	}
	return max(len(a.events), int(a.seq))
}

// hasTrees proves that the trees of an event are whole.
func (w *world) hasTrees(s stored) {
	w.t.Helper()
	var e struct {
		Data struct{ Tree, Work string }
	}
	if err := json.Unmarshal([]byte(s.bytes), &e, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatal(err)
	}
	repos, err := filepath.Glob(w.path("state/trees/*.git"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, tree := range []string{e.Data.Tree, e.Data.Work} {
		if tree == "" {
			continue
		}
		found := false
		for _, repo := range repos {
			found = found || exec.Command("git", "--git-dir="+repo, "ls-tree", "-r", tree).Run() == nil &&
				blobsOf(repo, tree) == nil
		}
		if !found {
			w.t.Errorf("event %d (%s) names the tree %s, which is not whole", s.Seq, s.Type, tree)
		}
	}
}

// blobsOf reads every file of a tree.
func blobsOf(repo, tree string) error {
	cmd := exec.Command("sh", "-c", `git --git-dir="$1" ls-tree -r "$2" | cut -d' ' -f3 | cut -f1 | git --git-dir="$1" cat-file --batch > /dev/null`, "sh", repo, tree)
	out, err := cmd.CombinedOutput()
	if err == nil && len(out) > 0 {
		err = fmt.Errorf("read tree %s: %s", tree, out)
	}
	return err
}

// disk is an ext4 image that the state and the work trees of a world are on.
type disk struct {
	*world
	image string
}

func newDisk(t testing.TB) *disk {
	t.Helper()
	d := &disk{world: newWorld(t)}
	d.image = d.path("disk.img")
	f, err := os.Create(d.image)
	if err == nil {
		err = f.Truncate(256 << 20)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, "mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", d.image)
	d.attach()
	return d
}

// attach mounts the image where the world expects its state and work trees.
func (d *disk) attach() {
	d.t.Helper()
	mount(d.t, d.path("disk"), "-o", "loop", d.image)
	for _, dir := range []string{"state", "ws"} {
		if err := os.MkdirAll(d.path("disk/"+dir), 0o700); err != nil {
			d.t.Fatal(err)
		}
		mount(d.t, d.path(dir), "--bind", d.path("disk/"+dir))
	}
}

// cut copies the image as it is, ends all that runs on it, and goes on with the
// copy in its place.
func (d *disk) cut() {
	d.t.Helper()
	after := d.path("cut.img")
	must(d.t, "cp", "--sparse=always", d.image, after)
	d.killAll()
	for _, dir := range []string{"state", "ws", "disk"} {
		d.unmount(d.path(dir))
	}
	if out := must(d.t, "losetup", "-a"); strings.Contains(out, d.image) {
		d.t.Errorf("the image is still in use:\n%s", out)
	}
	if err := os.Rename(after, d.image); err != nil {
		d.t.Fatal(err)
	}
	d.reboot()
	d.attach()
}

// reboot gives the host another boot id, as a power cut does: by it a daemon tells
// what the power may have taken from what somebody has removed.
func (d *disk) reboot() {
	d.t.Helper()
	id := d.path("boot_id")
	if err := os.WriteFile(id, []byte(uuid()+"\n"), 0o644); err != nil {
		d.t.Fatal(err)
	}
	mountOn(d.t, "/proc/sys/kernel/random/boot_id", "--bind", id)
}

// uuid is random, as the kernel's is.
func uuid() string {
	b := make([]byte, 16)
	_, _ = crand.Read(b) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
