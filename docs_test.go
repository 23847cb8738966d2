package autopilot_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/ctl"
	"autopilot/daemon/config"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

var update = flag.Bool("update", false, "write the generated sections of docs/ anew")

// sections are the parts of docs/ that follow from the code. Each stands between
// <!-- begin NAME --> and <!-- end NAME -->.
var sections = []struct {
	file, name string
	make       func(*testing.T) string
}{
	{"docs/exit-codes.md", "exit codes", exitCodes},
	{"docs/json.md", "answers", answers},
	{"docs/json.md", "types", jsonTypes},
	{"docs/configuration.md", "settings", settings},
	{"docs/bus.md", "verbs", remoteVerbs},
}

func TestGeneratedSectionsOfTheDocs(t *testing.T) {
	t.Parallel()
	for _, s := range sections {
		b, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		begin, end := "<!-- begin "+s.name+" -->\n", "<!-- end "+s.name+" -->\n"
		before, rest, ok := strings.Cut(string(b), begin)
		have, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no section %q", s.file, s.name)
		}
		want := "\n" + s.make(t) + "\n"
		if have == want {
			continue
		}
		if !*update {
			t.Errorf("%s, section %q, is behind (go test . -run Docs -update writes it):\n%s", s.file, s.name, cmp.Diff(have, want))
			continue
		}
		if err := os.WriteFile(s.file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSchemaOfWorkflowsInTheDocs(t *testing.T) {
	t.Parallel()
	const file = "docs/workflow.schema.json"
	want, err := workflow.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is behind (go test . -run Docs -update writes it): %v\n%s", file, err, cmp.Diff(string(have), string(want)))
	}
}

// exitCodes is what apctl help exit-codes prints.
func exitCodes(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if code := ctl.Main(context.Background(), ctl.World{Args: []string{"help", "exit-codes"}, Out: ctl.Output{Writer: &out}}); code != 0 {
		t.Fatalf("exit %d", code)
	}
	b := &strings.Builder{}
	b.WriteString("| code | meaning |\n|---|---|\n")
	for _, m := range regexp.MustCompile(`(?m)^ +(\d+) +(.*(?:\n {6,}\D.*)*)$`).FindAllStringSubmatch(out.String(), -1) {
		fmt.Fprintf(b, "| %s | %s |\n", m[1], strings.Join(strings.Fields(m[2]), " "))
	}
	return b.String()
}

func settings(*testing.T) string {
	b := &strings.Builder{}
	b.WriteString("| key | default | flag of run | variable | project | user | meaning |\n|---|---|---|---|---|---|---|\n")
	for _, s := range config.Settings() {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", s.Key, code(s.Default), code(s.Flag), code(s.Variable),
			yes(s.Project), yes(s.User), strings.ReplaceAll(s.Help, "|", `\|`))
	}
	return b.String()
}

// remoteVerbs are those that are served over the network.
func remoteVerbs(*testing.T) string {
	b := &strings.Builder{}
	for _, class := range []wire.Class{wire.Read, wire.Operate} {
		var names []string
		for _, v := range wire.Verbs() {
			if v.Has(wire.Remote) && v.Class == class && v != wire.Credit {
				names = append(names, "`"+v.Name+"`")
			}
		}
		fmt.Fprintf(b, "- %s: %s\n", class, strings.Join(names, ", "))
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// wireTypes are the structs of events/wire, by name.
type wireTypes struct {
	structs map[string]*ast.TypeSpec
	docs    map[string]string
	schemas []string // constants that name a schema
}

func parseWire(t *testing.T) wireTypes {
	t.Helper()
	w := wireTypes{structs: map[string]*ast.TypeSpec{}, docs: map[string]string{}}
	files, err := filepath.Glob("events/wire/*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				w.add(g, spec)
			}
		}
	}
	slices.Sort(w.schemas)
	return w
}

func (w *wireTypes) add(g *ast.GenDecl, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if _, ok := s.Type.(*ast.StructType); ok {
			w.structs[s.Name.Name] = s
			w.docs[s.Name.Name] = strings.Join(strings.Fields(g.Doc.Text()), " ")
		}
	case *ast.ValueSpec:
		for i, n := range s.Names {
			if strings.HasPrefix(n.Name, "Schema") && i < len(s.Values) {
				w.schemas = append(w.schemas, strings.Trim(s.Values[i].(*ast.BasicLit).Value, `"`))
			}
		}
	}
}

// schemaOf says which command answers with a schema, and with what in data.
var schemaOf = []struct{ schema, command, data string }{
	{"autopilot.run", "status, run -d, resume -d, wait, answer", "RunView"},
	{"autopilot.runs", "ls, stop, cancel", "ListReply"},
	{"autopilot.worktrees", "ls --worktrees, archive prune --worktrees", "WorktreesView"},
	{"autopilot.report", "report, apctl alone", "ReportView"},
	{"autopilot.inbox", "inbox", "InboxView"},
	{"autopilot.pin", "pin status, pin set, pin remove", "PINView"},
	{"autopilot.line", "status --line", "LineView"},
	{"autopilot.why", "why", "WhyView"},
	{"autopilot.watch", "run, resume, watch: a line each", "WatchFrame"},
	{"autopilot.event", "events: a line each", "EventFrame"},
	{"autopilot.log", "logs: a line each", "LogFrame"},
	{"autopilot.replay", "replay: a line each", "ReplayFrame"},
	{"autopilot.retro", "retro", "RetroView"},
	{"autopilot.session", "session join, next, submit, ask, leave", "SessionView"},
	{"autopilot.hooks", "hook show, install, uninstall; compat omx install, uninstall", "HooksView"},
	{"autopilot.peers", "peer ls", "PeersView"},
	{"autopilot.peer.check", "peer check, peer join", "PeerCheckView"},
	{"autopilot.peer.sent", "peer send", "PeerSentView"},
	{"autopilot.peer.mail", "peer read", "PeerMailView"},
	{"autopilot.worktree", "session join --worktree without a task", "WorktreeView"},
	{"autopilot.usage", "usage", "UsageReport"},
	{"autopilot.probe", "probe, probe --watch", "ProbeView"},
	{"autopilot.probe.replay", "probe --replay: a line each", "ProbePolicy"},
	{"autopilot.queue", "queue new, add, show, schedule, run, watch, pause, rm, retry", "QueueView"},
	{"autopilot.queues", "queue ls", "QueuesView"},
	{"autopilot.probe.launch", "probe launch", "LaunchView"},
	{"autopilot.claims", "peer claims, take, drop", "ClaimsView"},
	{"autopilot.diff", "diff", ""},
	{"autopilot.restore", "restore", "RestoreView"},
	{"autopilot.accept", "accept", "AcceptView"},
	{"autopilot.discard", "discard", "DiscardView"},
	{"autopilot.preview", "run --dry-run", "Preview"},
	{"autopilot.verify", "verify", "VerifyReply"},
	{"autopilot.archive", "archive, archive ls", "ArchiveView"},
	{"autopilot.archive.roll", "archive roll", "RollView"},
	{"autopilot.archive.prune", "archive prune", "PruneView"},
	{"autopilot.archive.erase", "archive erase", "EraseView"},
	{"autopilot.archive.export", "archive export", "ExportView"},
	{"autopilot.archive.import", "archive import", "ImportView"},
	{"autopilot.config", "config show, check, set", "ConfigView"},
	{"autopilot.trust", "trust", "TrustView"},
	{"autopilot.workflows", "workflow ls, show, new", "WorkflowsView"},
	{"autopilot.lint", "workflow lint", "LintView"},
	{"autopilot.graph", "workflow graph", "GraphView"},
	{"autopilot.workflow-schema", "workflow schema", "WorkflowSchemaView"},
	{"autopilot.suggestion", "route, workflow suggest", "SuggestionView"},
	{"autopilot.mode", "mode", "ModeView"},
	{"autopilot.agents", "agent ls, show, check", "AgentsView"},
	{"autopilot.outcome", "agent classify", "OutcomeView"},
	{"autopilot.sandbox", "agent sandbox", "SandboxView"},
	{"autopilot.init", "init", ""},
	{"autopilot.doctor", "doctor", "DoctorView"},
	{"autopilot.notify", "notify test", "NotifyView"},
	{"autopilot.notification", "what notifiers and webhooks get", "Notification"},
	{"autopilot.daemon", "daemon status", "DaemonView"},
	{"autopilot.key", "daemon key", "KeyView"},
	{"autopilot.service", "daemon install, uninstall", "ServiceView"},
	{"autopilot.atdd.row", "compat atdd import, observe: a line each", "AtddRow"},
	{"autopilot.atdd", "compat atdd import, observe: the last line", "AtddView"},
	{"autopilot.atdd.library", "compat atdd install, uninstall", "AtddLibrary"},
	{"autopilot.atdd.piece", "compat atdd export: a line each", "AtddPiece"},
	{"autopilot.atdd.export", "compat atdd export --dir", "AtddExport"},
	{"autopilot.omx", "compat omx import", "OmxView"},
	{"autopilot.omx.change", "compat omx observe: a line each", "OmxChange"},
	{"autopilot.version", "version", ""},
	{"autopilot.error", "any, on stderr", "Error"},
}

func answers(t *testing.T) string {
	t.Helper()
	w := parseWire(t)
	var known []string
	b := &strings.Builder{}
	b.WriteString("| schema | from | data |\n|---|---|---|\n")
	for _, s := range schemaOf {
		known = append(known, s.schema)
		data := "see below"
		if s.data != "" {
			data = fmt.Sprintf("[%s](#%s)", s.data, strings.ToLower(s.data))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", s.schema, s.command, data)
	}
	slices.Sort(known)
	if d := cmp.Diff(w.schemas, known); d != "" {
		t.Errorf("schemas of events/wire without a command here, or the reverse (-wire +here):\n%s", d)
	}
	return b.String()
}

// jsonTypes lists every member of every type that an answer holds.
func jsonTypes(t *testing.T) string {
	t.Helper()
	w := parseWire(t)
	b := &strings.Builder{}
	seen := map[string]bool{}
	var queue []string
	for _, s := range schemaOf {
		if s.data != "" {
			queue = append(queue, s.data)
		}
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		spec, ok := w.structs[name]
		if seen[name] || !ok {
			continue
		}
		seen[name] = true
		fmt.Fprintf(b, "### %s\n\n%s\n\n| member | type | meaning |\n|---|---|---|\n", name, w.docs[name])
		for _, f := range w.fields(spec) {
			kind, uses := jsonKind(f.Type)
			queue = append(queue, uses...)
			tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
			member, options, _ := strings.Cut(tag, ",")
			if strings.Contains(options, "omitzero") {
				kind += ", optional"
			}
			meaning := strings.ReplaceAll(strings.Join(strings.Fields(f.Doc.Text()+f.Comment.Text()), " "), "|", `\|`)
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", member, kind, meaning)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fields are those of a struct, with those of one that is in it without a name.
func (w wireTypes) fields(spec *ast.TypeSpec) (out []*ast.Field) {
	for _, f := range spec.Type.(*ast.StructType).Fields.List {
		if id, ok := f.Type.(*ast.Ident); ok && f.Tag == nil && w.structs[id.Name] != nil {
			out = append(out, w.fields(w.structs[id.Name])...)
			continue
		}
		out = append(out, f)
	}
	return out
}

// jsonKind is how a Go type looks in JSON, and which types it leads to.
func jsonKind(e ast.Expr) (string, []string) {
	switch x := e.(type) {
	case *ast.StarExpr:
		return jsonKind(x.X)
	case *ast.ArrayType:
		if id, ok := x.Elt.(*ast.Ident); ok && id.Name == "byte" {
			return "base64", nil
		}
		kind, uses := jsonKind(x.Elt)
		return "list of " + kind, uses
	case *ast.MapType:
		return "object of texts", nil
	case *ast.SelectorExpr:
		switch x.Sel.Name {
		case "Time":
			return "time (RFC 3339)", nil
		case "Value":
			return "JSON", nil
		case "Rate":
			return "object of the numbers `failed` and `runs`", nil
		}
		return "text", nil
	case *ast.Ident:
		switch x.Name {
		case "string", "Code":
			return "text", nil
		case "bool":
			return "true or false", nil
		case "int", "int64", "uint64":
			return "number", nil
		}
		return fmt.Sprintf("[%s](#%s)", x.Name, strings.ToLower(x.Name)), []string{x.Name}
	}
	return "?", nil
}

// constants are the values of a string type in a file.
func constants(t *testing.T, file, typ string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			s := spec.(*ast.ValueSpec)
			if id, ok := s.Type.(*ast.Ident); ok && id.Name == typ {
				out = append(out, strings.Trim(s.Values[0].(*ast.BasicLit).Value, `"`))
			}
		}
	}
	return out
}

func TestEveryHaltAndRefusalIsExplainedWithItsFix(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("docs/halts.md")
	if err != nil {
		t.Fatal(err)
	}
	for typ, file := range map[string]string{"Halt": "events/halt.go", "Refusal": "events/enum.go"} {
		all := constants(t, file, typ)
		if len(all) == 0 {
			t.Fatalf("%s has no %s", file, typ)
		}
		for _, c := range all {
			if typ == "Halt" && !slices.ContainsFunc(events.Halts(), func(f events.HaltFacts) bool { return string(f.Reason) == c }) {
				t.Errorf("halt %s has no row in events.Halts", c)
			}
			if !strings.Contains(string(b), "\n| `"+c+"` | ") {
				t.Errorf("docs/halts.md has no row for %s %s", strings.ToLower(typ), c)
			}
		}
	}
}

// What ends with which code is in the table of codes too, by name.
func TestEveryHaltIsNamedWithItsExitCode(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range events.Halts() {
		h := string(f.Reason)
		code := rule.ExitCode(rule.StateHalted, f.Reason)
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| %d \| .*$`, code)).FindString(string(b))
		if code != wire.ExitFailed && !regexp.MustCompile(`\b`+h+`\b`).MatchString(row) {
			t.Errorf("the row of exit code %d does not name %s: %s", code, h, row)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)

func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "README.md", "CHANGELOG.md") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := fs.Stat(os.DirFS("."), filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// What the daemon sets for agents and gates, and what apctl reads, is in the help.
func TestVariablesAreInTheHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	for _, topic := range []string{"agents", "environment"} {
		if code := ctl.Main(context.Background(), ctl.World{Args: []string{"help", topic}, Out: ctl.Output{Writer: &out}}); code != 0 {
			t.Fatalf("help %s: exit %d", topic, code)
		}
	}
	var names []string
	for _, file := range []string{"daemon/agent/command.go", "events/place/place.go"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`Env\w+ += "(AUTOPILOT_\w+)"`).FindAllStringSubmatch(string(b), -1) {
			names = append(names, m[1])
		}
	}
	for _, s := range config.Settings() {
		if s.Variable != "" {
			names = append(names, s.Variable)
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d variables were found: %v", len(names), names)
	}
	for _, name := range names {
		if !regexp.MustCompile(`\b` + name + `\b`).Match(out.Bytes()) {
			t.Errorf("apctl help agents and environment do not name %s", name)
		}
	}
}
