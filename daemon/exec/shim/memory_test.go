package shim

import (
	"io/fs"
	"strings"
	"testing"

	"autopilot/daemon/exec/proc"
)

func TestB12WantOfMemoryIsToldFromOtherKills(t *testing.T) {
	t.Parallel()
	const group, home, host = "/cg/home/autopilot-5-6/memory.events", "/cg/home/memory.events", "/proc/vmstat"
	table := func(n string) string { return "oom 9\noom_kill " + n + "\noom_group_kill 9\n" }
	killed := Exit{Outcome: Signaled, Signal: 9, Exit: -1}
	for name, c := range map[string]struct {
		before, after map[string]string
		exit          Exit
		ours          bool
		want          string // source, empty is no want of memory
	}{
		"its own group counted one": {
			map[string]string{group: table("0"), home: table("3"), host: table("7")},
			map[string]string{group: table("1"), home: table("4"), host: table("8")},
			killed, false, group,
		},
		"only another effect beside it": {
			map[string]string{group: table("0"), host: table("7")},
			map[string]string{group: table("0"), host: table("8")},
			killed, false, "",
		},
		"the group of the supervisor counted one": {
			map[string]string{home: table("3"), host: table("7")},
			map[string]string{home: table("4"), host: table("8")},
			killed, false, home,
		},
		"the host counted one":       {map[string]string{host: table("7")}, map[string]string{host: table("8")}, killed, false, host},
		"somebody killed it":         {map[string]string{host: table("7")}, map[string]string{host: table("7")}, killed, false, ""},
		"we killed it":               {map[string]string{host: table("7")}, map[string]string{host: table("8")}, Exit{Outcome: WallTimeout, Signal: 9}, true, ""},
		"its child, says its shell":  {map[string]string{host: table("7")}, map[string]string{host: table("8")}, Exit{Outcome: Exited, Exit: 137}, false, host},
		"it failed for other causes": {map[string]string{host: table("7")}, map[string]string{host: table("8")}, Exit{Outcome: Exited, Exit: 1}, false, ""},
		"another signal":             {map[string]string{host: table("7")}, map[string]string{host: table("8")}, Exit{Outcome: Signaled, Signal: 11}, false, ""},
		"nobody counts":              {nil, map[string]string{host: table("8")}, killed, false, ""},
		"the count was lost":         {map[string]string{host: table("7")}, nil, killed, false, ""},
		"the count makes no sense":   {map[string]string{host: "oom_kill x\n"}, map[string]string{host: table("8")}, killed, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := c.before
			read := func(path string) ([]byte, error) {
				text, ok := files[path]
				if !ok {
					return nil, fs.ErrNotExist
				}
				return []byte(text), nil
			}
			w := watchMemory(read, proc.Cgroup("/cg/home/autopilot-5-6"), "/cg/home")
			files = c.after
			got := c.exit
			w.judge(&got, c.ours)
			if got.OutOfMemory != (c.want != "") || !strings.Contains(got.Error, c.want) || (got.Error == "") != (c.want == "") {
				t.Errorf("exit: %+v, want source %q", got, c.want)
			}
		})
	}
}
