package doctor

import (
	"context"
	"path"
	"strconv"
	"strings"

	"autopilot/events/wire"
)

func user(_ context.Context, _ Input, p Probe) []wire.DoctorFinding {
	a := about("user")
	if p.UID == 0 {
		return a.find(Warning, "run it as an ordinary user", "runs as root: agents and gates may do anything on this host")
	}
	return a.ok("uid %d", p.UID)
}

// leastFiles is what the daemon, its server and a few runs need.
const leastFiles = 1024

func openFiles(_ context.Context, _ Input, p Probe) []wire.DoctorFinding {
	a := about("files")
	switch n, err := p.NoFile(); {
	case err != nil:
		return a.unknown("the limit of open files", err)
	case n < leastFiles:
		return a.find(Warning, "ulimit -n 4096, then apctl daemon restart", "at most %d files may be open; %d are wanted", n, leastFiles)
	default:
		return a.ok("%d files may be open", n)
	}
}

// socketMost is the longest path of a socket (unix(7), sun_path).
func socketMost(goos string) int {
	if goos == "darwin" {
		return 103
	}
	return 107
}

func runtimeDir(_ context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("runtime")
	most := socketMost(p.GOOS)
	if n := len(in.Socket); n > most {
		return a.find(Error, "set XDG_RUNTIME_DIR to a shorter directory", "the path of the socket has %d bytes, the system takes %d", n, most)
	}
	info, err := p.Stat(in.Runtime)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		return a.find(Error, "chmod 700 "+in.Runtime, "others may enter %s", in.Runtime)
	}
	if !in.RuntimeOK {
		return a.find(Note, "log in through a session that sets it, or set it yourself", "XDG_RUNTIME_DIR is not set: the socket is in %s", in.Runtime)
	}
	return a.ok("the socket's path has %d of %d bytes", len(in.Socket), most)
}

// Kernel limits of file watchers, which test runners and agents use up.
const (
	leastWatches   = 65536
	leastInstances = 128
)

func inotify(_ context.Context, _ Input, p Probe) []wire.DoctorFinding {
	a := about("inotify")
	if p.GOOS != "linux" {
		return nil
	}
	const dir = "/proc/sys/fs/inotify/"
	watches, err := number(p, dir+"max_user_watches")
	if err != nil {
		return a.unknown("the limit of file watches", err)
	}
	instances, err := number(p, dir+"max_user_instances")
	if err != nil {
		return a.unknown("the limit of file watchers", err)
	}
	switch {
	case watches < leastWatches:
		return a.find(Note, "sudo sysctl fs.inotify.max_user_watches=524288", "%d file watches: tools that watch a large work tree fail", watches)
	case instances < leastInstances:
		return a.find(Note, "sudo sysctl fs.inotify.max_user_instances=512", "%d file watchers: several agents at once may run out", instances)
	}
	return a.ok("%d watches, %d watchers", watches, instances)
}

func number(p Probe, file string) (int, error) {
	b, err := p.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

const cgroupRoot = "/sys/fs/cgroup"

// cgroup says whether limits on whole trees could be set. Trees are reaped
// without it too.
func cgroup(_ context.Context, _ Input, p Probe) []wire.DoctorFinding {
	a := about("cgroup")
	if p.GOOS != "linux" {
		return nil
	}
	if _, err := p.Stat(path.Join(cgroupRoot, "cgroup.controllers")); err != nil {
		return a.find(Note, "boot with systemd.unified_cgroup_hierarchy=1", "no cgroup v2: process trees are found by their session and marker only")
	}
	b, err := p.ReadFile("/proc/self/cgroup")
	if err != nil {
		return a.unknown("the own cgroup", err)
	}
	for line := range strings.Lines(string(b)) {
		own, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		if p.Writable(path.Join(cgroupRoot, own, "cgroup.procs")) {
			return a.ok("v2, delegated to this user")
		}
		return a.find(Note, "", "v2, but not delegated to this user: trees have no memory limit of their own")
	}
	return a.find(Unknown, "", "whether cgroup v2 is delegated is not known")
}

func pressure(_ context.Context, _ Input, p Probe) []wire.DoctorFinding {
	a := about("pressure")
	if p.GOOS != "linux" {
		return nil
	}
	if _, err := p.ReadFile("/proc/pressure/memory"); err != nil {
		return a.find(Note, "boot with psi=1", "the kernel reports no pressure (PSI): only memory and load are measured")
	}
	return a.ok("the kernel reports pressure (PSI)")
}

// namespaces says whether a user may make user namespaces, which hide state and
// sockets from an agent.
func namespaces(_ context.Context, _ Input, p Probe) []wire.DoctorFinding {
	a := about("namespaces")
	if p.GOOS != "linux" {
		return nil
	}
	n, err := number(p, "/proc/sys/user/max_user_namespaces")
	if err != nil {
		return a.unknown("whether user namespaces can be made", err)
	}
	if n == 0 {
		return a.find(Note, "sudo sysctl user.max_user_namespaces=15000", "user namespaces are off: agents cannot be given a view of their own")
	}
	for _, s := range []struct {
		file, fix string
		off       int
	}{
		{"/proc/sys/kernel/unprivileged_userns_clone", "sudo sysctl kernel.unprivileged_userns_clone=1", 0},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "an AppArmor profile for autopilotd, or sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0", 1},
	} {
		// Kernels without such a setting do not restrict them by it.
		if v, err := number(p, s.file); err == nil && v == s.off && p.UID != 0 {
			return a.find(Note, s.fix, "user namespaces are denied to ordinary users (%s): agents cannot be given a view of their own", path.Base(s.file))
		}
	}
	return a.ok("user namespaces are allowed")
}

func landlock(_ context.Context, _ Input, p Probe) []wire.DoctorFinding {
	a := about("landlock")
	if p.GOOS != "linux" {
		return nil
	}
	abi, err := p.Landlock()
	if err != nil || abi < 1 {
		return a.find(Note, "", "the kernel has no Landlock: where agents write cannot be restricted by it")
	}
	return a.ok("ABI %d", abi)
}

// service says whether a daemon could be started without a login.
func service(ctx context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("service")
	if p.GOOS != "linux" {
		return nil
	}
	// It exits non-zero for states that still are answers, as degraded.
	state, _ := p.Output(ctx, "systemctl", "--user", "is-system-running")
	state = strings.TrimSpace(state)
	if state == "" || state == "offline" || state == "unknown" {
		return a.find(Note, "", "no systemd of this user: after a reboot runs go on with the next apctl command")
	}
	if in.User == "" {
		return a.find(Unknown, "", "whether services of this user outlive its login is not known")
	}
	if _, err := p.Stat(path.Join("/var/lib/systemd/linger", in.User)); err != nil {
		return a.find(Note, "loginctl enable-linger", "services of this user end with its last login")
	}
	return a.ok("services of this user outlive its login")
}
