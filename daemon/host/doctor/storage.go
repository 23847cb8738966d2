package doctor

import (
	"context"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// plenty is free space that needs no word.
const plenty = 1 << 30

func disks(_ context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("disk")
	var out []wire.DoctorFinding
	switch d, err := p.Statfs(in.State); {
	case err != nil:
		out = a.unknown("the free space of the state directory", err)
	case d.Free < in.Stops:
		out = a.find(Error, "make room, or set AUTOPILOT_STATE to another disk", "%s free for the state: below %s nothing is recorded, and runs wait", phrase.Size(int64(d.Free)), phrase.Size(int64(in.Stops)))
	case d.Free < in.Begins:
		out = a.find(Error, "make room, or set AUTOPILOT_STATE to another disk", "%s free for the state: below %s nothing begins", phrase.Size(int64(d.Free)), phrase.Size(int64(in.Begins)))
	case d.Free < plenty:
		out = a.find(Warning, "make room before a long run", "%s free for the state", phrase.Size(int64(d.Free)))
	default:
		out = a.ok("%s free for the state (%s)", phrase.Size(int64(d.Free)), in.State)
	}
	if in.Workspace == "" {
		return out
	}
	switch d, err := p.Statfs(in.Workspace); {
	case err != nil:
		out = append(out, a.unknown("the free space of the work tree", err)...)
	case d.Free < plenty/4:
		out = append(out, a.find(Warning, "make room before a long run", "%s free in the work tree", phrase.Size(int64(d.Free)))...)
	default:
		out = append(out, a.ok("%s free in the work tree", phrase.Size(int64(d.Free)))...)
	}
	return out
}

// Kinds of file systems, as Linux's statfs(2) names them.
const (
	tmpfs   = 0x01021994
	overlay = 0x794c7630
)

var networks = map[int64]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB2", 0x5346414f: "AFS", 0x00c36400: "Ceph",
	0x01021997: "9P", 0x73757245: "Coda", 0x0bd00bd0: "Lustre", 0x65735546: "FUSE", 0x786f4256: "VirtualBox",
}

// fileSystems warns of those whose locks and syncs do not hold what the event
// store relies on.
func fileSystems(_ context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("filesystem")
	if p.GOOS != "linux" {
		return a.find(Unknown, "", "the kind of file system is not looked at on this system")
	}
	d, err := p.Statfs(in.State)
	if err != nil {
		return a.unknown("the file system of the state directory", err)
	}
	var out []wire.DoctorFinding
	switch name := networks[d.Kind]; {
	case name != "":
		out = a.find(Error, "set AUTOPILOT_STATE to a directory on a local disk", "the state is on %s: locks and synced writes may not hold there", name)
	case d.Kind == tmpfs:
		out = a.find(Warning, "set AUTOPILOT_STATE to a directory on a disk", "the state is in memory (tmpfs): a reboot loses it")
	case d.Kind == overlay:
		out = a.find(Note, "mount a volume and set AUTOPILOT_STATE to it", "the state is in a container's own layer: it ends with the container")
	default:
		out = a.ok("the state is on a local disk")
	}
	if in.Workspace == "" {
		return out
	}
	if d, err := p.Statfs(in.Workspace); err != nil {
		out = append(out, a.unknown("the file system of the work tree", err)...)
	} else if name := networks[d.Kind]; name != "" {
		out = append(out, a.find(Warning, "work in a clone on a local disk", "the work tree is on %s: recording it is slow, and changes may show late", name)...)
	}
	return out
}

// storeHealth says how full and how whole the event store is.
func storeHealth(_ context.Context, in Input, _ Probe) []wire.DoctorFinding {
	a := about("store")
	s := in.Store
	if s == nil {
		return a.find(Unknown, "", "the event store was not looked at")
	}
	if s.Damage != "" {
		return a.find(Error, "autopilotd verify --offline   says more; nothing was changed", "%s", s.Damage)
	}
	var out []wire.DoctorFinding
	switch {
	case s.Quota > 0 && s.Bytes > s.Quota:
		out = a.find(Error, "raise quota in the user's configuration", "the event store is full: %s of %s", phrase.Size(s.Bytes), phrase.Size(s.Quota))
	case s.Quota > 0 && s.Bytes > s.Quota/10*8:
		out = a.find(Warning, "raise quota in the user's configuration", "the event store is nearly full: %s of %s", phrase.Size(s.Bytes), phrase.Size(s.Quota))
	case s.Quota > 0:
		out = a.ok("%d events, %s of %s; all acknowledged events are there", s.Events, phrase.Size(s.Bytes), phrase.Size(s.Quota))
	default:
		out = a.ok("all acknowledged events are there")
	}
	if s.Clean != nil && !*s.Clean {
		out = append(out, a.find(Note, "", "the last daemon did not end cleanly; the next one goes on from what was acknowledged")...)
	}
	if s.Durability == "process" {
		out = append(out, a.find(Note, "durability: power in the user's configuration", "durability is process: a power cut may lose what was acknowledged last")...)
	}
	return out
}

// ahead is how far the last event may be before the clock.
const ahead = time.Minute

// clock compares with the last event, which lies in the past unless the clock
// was set back.
func clock(ctx context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("clock")
	if s := in.Store; s != nil && s.Last.Sub(p.Now) > ahead {
		return a.find(Warning, "set the clock: times of limits and of waits are counted by it",
			"the clock is %v before the last event: it was set back", s.Last.Sub(p.Now).Round(time.Second))
	}
	switch text, err := p.Output(ctx, "timedatectl", "show", "-p", "NTPSynchronized", "--value"); {
	case err != nil || text == "":
		return a.find(Unknown, "", "whether the clock is kept by NTP is not known")
	case text == "yes\n":
		return a.ok("kept by NTP")
	}
	return a.find(Note, "timedatectl set-ntp true", "the clock is not kept by NTP")
}
