package autopilot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// edge is a rule about imports: no package of from may import one of deny,
// unless either is excepted. Patterns are import paths, with /... for all
// below them too; "std" is the standard library and "..." is everything.
type edge struct {
	from, fromExcept []string
	deny, denyExcept []string
	deep             bool // the whole graph below from, not only its own imports
	why              string
	planted          [2]string // an import that breaks the rule, for the self-test
}

// edges are the directions of imports: events <- projections, probe <- daemon;
// ctl beside them; cmd wires. Tests are free.
var edges = []edge{
	{
		from: []string{"autopilot/events", "autopilot/events/wire", "autopilot/events/stored"},
		deny: []string{"autopilot/...", "os", "net", "net/...", "os/exec"}, denyExcept: []string{"autopilot/events"},
		why:     "events is the vocabulary: the lowest layer, without I/O",
		planted: [2]string{"autopilot/events/wire", "autopilot/projections/rule"},
	},
	{
		from: []string{"autopilot/events/wire"}, deny: []string{"autopilot/events/stored"},
		why:     "what clients see changes without what is stored",
		planted: [2]string{"autopilot/events/wire", "autopilot/events/stored"},
	},
	{
		from: []string{"autopilot/events/place"},
		deny: []string{"autopilot/..."}, denyExcept: []string{"autopilot/events"},
		why:     "where things live is known below everything that meets there",
		planted: [2]string{"autopilot/events/place", "autopilot/daemon"},
	},
	{
		from: []string{"autopilot/events/log/..."},
		deny: []string{"autopilot/..."}, denyExcept: []string{"autopilot/events/..."},
		why:     "the log stores events and knows nothing above them",
		planted: [2]string{"autopilot/events/log", "autopilot/daemon/transport/bus"},
	},
	{
		from: []string{"autopilot/projections/..."},
		deny: []string{"autopilot/...", "os", "net", "net/...", "os/exec"}, denyExcept: []string{"autopilot/events", "autopilot/events/stored", "autopilot/events/wire", "autopilot/projections/..."},
		why:     "folds and rules are pure: they take events and do no I/O",
		planted: [2]string{"autopilot/projections/run", "autopilot/events/log"},
	},
	{
		from: []string{"autopilot/probe/..."},
		deny: []string{"autopilot/..."}, denyExcept: []string{"autopilot/events", "autopilot/events/wire", "autopilot/probe/..."},
		why:     "the probe samples the host and knows neither folds nor the daemon",
		planted: [2]string{"autopilot/probe", "autopilot/daemon/host/sched"},
	},
	{
		from:    []string{"autopilot/daemon/..."},
		deny:    []string{"autopilot/ctl/..."},
		why:     "the daemon does not know its clients",
		planted: [2]string{"autopilot/daemon/transport/bus", "autopilot/ctl/client"},
	},
	{
		from:       []string{"autopilot/ctl/..."},
		deny:       []string{"autopilot/..."},
		denyExcept: []string{"autopilot/events", "autopilot/events/wire", "autopilot/events/place", "autopilot/projections/...", "autopilot/probe/judge", "autopilot/docs", "autopilot/ctl/..."},
		why:        "ctl speaks to the daemon over the bus only, and touches no log",
		planted:    [2]string{"autopilot/ctl", "autopilot/events/log"},
	},
	{
		from: []string{"..."}, deny: []string{"autopilot/cmd/..."},
		why:     "cmd holds main packages: what another package needs belongs elsewhere",
		planted: [2]string{"autopilot/daemon", "autopilot/cmd/autopilotd"},
	},
	{
		from: []string{"autopilot/..."}, fromExcept: []string{"autopilot/events/log/...", "autopilot/daemon/transport/bus/...", "autopilot/ctl/client/..."},
		deny:    []string{"github.com/nats-io/nats.go/..."},
		why:     "only events/log, daemon/transport/bus and ctl/client speak NATS",
		planted: [2]string{"autopilot/daemon/run/engine", "github.com/nats-io/nats.go/jetstream"},
	},
	{
		from: []string{"autopilot/..."}, fromExcept: []string{"autopilot/daemon/transport/bus/..."},
		deny:    []string{"github.com/nats-io/nats-server/..."},
		why:     "only daemon/transport/bus runs a server",
		planted: [2]string{"autopilot/events/log", "github.com/nats-io/nats-server/v2/server"},
	},
	{
		from: []string{"autopilot/cmd/apctl"}, deep: true,
		deny:    []string{"github.com/nats-io/nats-server/...", "autopilot/daemon/...", "autopilot/events/log/..."},
		why:     "apctl is small and starts in milliseconds: it links neither server nor daemon",
		planted: [2]string{"autopilot/ctl/client", "github.com/nats-io/nats-server/v2/server"},
	},
	{
		from: []string{"autopilot/cmd/apctl"}, deep: true,
		deny:    []string{"autopilot/projections/rule/..."},
		why:     "apctl starts in milliseconds: the rules and what they parse with are for the daemon, and make it larger",
		planted: [2]string{"autopilot/ctl", "autopilot/projections/rule"},
	},
	{
		from: []string{"autopilot/cmd/apshim"}, deep: true,
		deny: []string{"..."}, denyExcept: []string{"std", "golang.org/x/sys/...", "autopilot/cmd/apshim", "autopilot/daemon/store/durable", "autopilot/daemon/exec/shim", "autopilot/daemon/exec/confine", "autopilot/daemon/exec/proc", "autopilot/daemon/exec/spool", "autopilot/daemon/exec/redact"},
		why:     "each live effect has an apshim: it links the standard library and x/sys only",
		planted: [2]string{"autopilot/daemon/exec/shim", "autopilot/events"},
	},
	{
		from: []string{"autopilot/cmd/apshim"}, deep: true,
		deny:    []string{"net/...", "os/exec", "crypto/tls/...", "text/template/...", "regexp/..."},
		why:     "apshim stays small and starts in a millisecond: what it has no use for costs megabytes or time",
		planted: [2]string{"autopilot/daemon/exec/shim", "net/http"},
	},
}

// floors are the rooms of the daemon from the ground up: a package imports its own room
// and those on floors below, never one beside it or above.
var floors = [][]string{
	{"failpoint", "regular", "strictyaml"}, // what all may use
	{"store"},                              // files of the state directory, and who writes events
	{"exec"},                               // processes, their sandbox and what they print
	{"agent", "auth", "repo"},              // what a program of an agent is like; who calls; recorded files
	{"report", "transport"},                // what people are sent; the doors
	{"run"},                                // engine, iterations, gates, workflows
	{"config"},                             // what people have set, of all that is below
	{"coord", "history", "host"},           // other sessions; what is over; the machine and its budgets
	{"api"},                                // what each verb says
}

// doorways are the packages that know a door, with what for.
var doorways = map[string]string{
	"autopilot/daemon":                 "it opens the doors",
	"autopilot/daemon/api":             "it tells who is let in over the network",
	"autopilot/daemon/config":          "it checks addresses and keys as the door does",
	"autopilot/daemon/coord/team":      "it connects to the servers of a team",
	"autopilot/daemon/history/offline": "it takes the lock of the state directory",
	"autopilot/daemon/history/roll":    "it writes the new log through a server of its own",
}

// floorOf is the floor of a package of the daemon and its room; -1 for the daemon itself
// and its tests.
func floorOf(path string) (floor int, room string) {
	rest, ok := strings.CutPrefix(path, "autopilot/daemon/")
	room, _, _ = strings.Cut(rest, "/")
	if !ok || room == "test" {
		return -1, ""
	}
	return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, room) }), room
}

func (g graph) upward() (found []string) {
	for path, p := range g {
		from, room := floorOf(path)
		for _, to := range p.Imports {
			at, into := floorOf(to)
			if room != "" && from < 0 {
				found = append(found, path+" is in no room")
			}
			if room != "" && (to == "autopilot/daemon" || into != "" && into != room && at >= from) {
				found = append(found, path+" -> "+to)
			}
			if into == "transport" && room != "transport" && !strings.HasPrefix(path, "autopilot/daemon/test/") && doorways[path] == "" {
				found = append(found, path+" -> "+to+" (a room knows no door)")
			}
		}
	}
	slices.Sort(found)
	return found
}

func TestNoImportOfTheDaemonLeadsUp(t *testing.T) {
	t.Parallel()
	for _, way := range list(t, "linux").upward() {
		t.Error(way)
	}
	for _, planted := range [][2]string{
		{"autopilot/daemon/store/blob", "autopilot/daemon/run/work"},
		{"autopilot/daemon/agent", "autopilot/daemon/repo/tree"},
		{"autopilot/daemon/host/budget", "autopilot/daemon/api"},
		{"autopilot/daemon/run/work", "autopilot/daemon/transport/bus"},
		{"autopilot/daemon/exec/effect", "autopilot/daemon"},
	} {
		if found := (graph{planted[0]: {ImportPath: planted[0], Imports: planted[1:]}}).upward(); len(found) == 0 {
			t.Errorf("%s -> %s is not seen", planted[0], planted[1])
		}
	}
}

// gopackage is what go list says of a package.
type gopackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

func (p gopackage) matches(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern == "..." || (pattern == "std" && p.Standard) {
			return true
		}
		tree, ok := strings.CutSuffix(pattern, "/...")
		return p.ImportPath == tree || (ok && strings.HasPrefix(p.ImportPath, tree+"/"))
	})
}

type graph map[string]gopackage

// breaches lists the edges of a graph that a rule forbids, each with the way
// from the package that the rule is about.
func (g graph) breaches(e edge) []string {
	var found []string
	for path, p := range g {
		if !p.matches(e.from) || p.matches(e.fromExcept) {
			continue
		}
		seen := map[string]bool{path: true}
		queue := [][]string{{path}}
		for len(queue) > 0 {
			way := queue[0]
			queue = queue[1:]
			for _, next := range g[way[len(way)-1]].Imports {
				to := g[next]
				if seen[next] {
					continue
				}
				seen[next] = true
				longer := append(slices.Clone(way), next)
				if to.matches(e.deny) && !to.matches(e.denyExcept) {
					found = append(found, strings.Join(longer, " -> "))
				} else if e.deep {
					queue = append(queue, longer)
				}
			}
		}
	}
	slices.Sort(found)
	return found
}

// list reads the graph of all packages, as they are built for an OS.
func list(t *testing.T, goos string) graph {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Imports", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	g := graph{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p gopackage
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return g
		case err != nil:
			t.Fatal(err)
		}
		g[p.ImportPath] = p
	}
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			g := list(t, goos)
			for _, e := range edges {
				for _, way := range g.breaches(e) {
					t.Errorf("%s\n\tis forbidden: %s", way, e.why)
				}
			}
		})
	}
}

// plantedGraph has one allowed edge for each that matters, and those given.
func plantedGraph(extra ...[2]string) graph {
	g := graph{}
	add := func(from, to string) {
		for _, path := range []string{from, to} {
			p, ok := g[path]
			if !ok {
				p = gopackage{ImportPath: path, Standard: !strings.Contains(path, ".") && !strings.HasPrefix(path, "autopilot/")}
			}
			g[path] = p
		}
		p := g[from]
		p.Imports = append(p.Imports, to)
		g[from] = p
	}
	for _, e := range append([][2]string{
		{"autopilot/events/wire", "autopilot/events"},
		{"autopilot/events/log", "github.com/nats-io/nats.go/jetstream"},
		{"autopilot/projections/run", "autopilot/projections/rule"},
		{"autopilot/probe", "autopilot/probe/judge"},
		{"autopilot/probe/judge", "autopilot/events/wire"},
		{"autopilot/daemon", "autopilot/daemon/host/sched"},
		{"autopilot/daemon", "autopilot/probe"},
		{"autopilot/daemon/run/engine", "autopilot/projections/run"},
		{"autopilot/daemon/transport/bus", "github.com/nats-io/nats-server/v2/server"},
		{"autopilot/cmd/autopilotd", "autopilot/daemon"},
		{"autopilot/cmd/apctl", "autopilot/ctl"},
		{"autopilot/ctl", "autopilot/ctl/client"},
		{"autopilot/ctl", "autopilot/probe/judge"},
		{"autopilot/ctl/client", "github.com/nats-io/nats.go"},
		{"autopilot/cmd/apshim", "autopilot/daemon/exec/shim"},
		{"autopilot/daemon/exec/shim", "golang.org/x/sys/unix"},
		{"autopilot/daemon/exec/shim", "os"},
	}, extra...) {
		add(e[0], e[1])
	}
	return g
}

func TestTheCheckerSeesEveryForbiddenEdge(t *testing.T) {
	t.Parallel()
	for _, e := range edges {
		if found := plantedGraph().breaches(e); len(found) > 0 {
			t.Errorf("%s\n\tfinds %q where all is as it should be", e.why, found)
		}
		found := plantedGraph(e.planted).breaches(e)
		if len(found) != 1 || !strings.HasSuffix(found[0], e.planted[0]+" -> "+e.planted[1]) {
			t.Errorf("%s\n\tfinds %q where %v was planted", e.why, found, e.planted)
		}
	}
}

// workflowNames are the workflows that are and that will be, and the systems
// that they come from.
var workflowNames = []string{
	"converge", "omx", "omx-ralph", "sessions", "atdd", "atdd-bugfix", "atdd-flaky", "greenfield", "existing-code",
	"atdd-kit", "session-orchestrator", "oh-my-codex", "ralph",
}

// namesIn lists workflow names in code: as a word of a string, or as part of an
// identifier. Comments may give sources. "sessions" is an ordinary word, so it
// counts only as a whole word of a string.
func namesIn(src []byte) []string {
	var found []string
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", -1, len(src)), src, nil, 0)
	for {
		_, tok, lit := s.Scan()
		lower := strings.ToLower(lit)
		switch tok {
		case token.EOF:
			return found
		case token.STRING:
			words := strings.FieldsFunc(lower, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
			for _, name := range workflowNames {
				if slices.Contains(words, name) {
					found = append(found, fmt.Sprintf("%s in %s", name, lit))
				}
			}
		case token.IDENT:
			for _, name := range workflowNames {
				if name != "sessions" && strings.Contains(lower, strings.ReplaceAll(name, "-", "")) {
					found = append(found, fmt.Sprintf("%s in %s", name, lit))
					break
				}
			}
		default: // no other token has a name in it
		}
	}
}

func TestTheEngineKnowsNoWorkflowByName(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("daemon/run/engine/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in daemon/run/engine (%v)", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range namesIn(src) {
			t.Errorf("%s: %s: what differs between workflows is data", file, name)
		}
	}
}

func TestNamesOfWorkflowsAreFoundInCode(t *testing.T) {
	t.Parallel()
	got := namesIn([]byte("package p\n// atdd: a comment\nvar convergeRule = `run omx-ralph now`\nvar sessions = \"max-sessions-reached\"\nvar mode = \"sessions\"\n"))
	want := []string{"converge in convergeRule", "omx-ralph in `run omx-ralph now`", "sessions in \"sessions\""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
