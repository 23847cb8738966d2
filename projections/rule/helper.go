package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"autopilot/projections/regex"
)

// This file finds what only tests reach: modules of assertions, fakes and
// fixtures that are no tests by their names. A module that only tests import can
// as well be the product, as of a library, so more than that is needed: it says
// itself that it is about tests.

// Bounds of what is read to find helpers. Beyond them fewer are pinned.
const (
	helperTests   = 2000
	helperProduct = 4000
	helperDeep    = 4
)

var helperWords = wordSet(`assert asserts assertion assertions expect expects expectation expectations mock mocks stub stubs fake fakes fixture fixtures
	matcher matchers testutil testutils testhelper testhelpers testlib testkit testsupport testbase testcase testcases testing testtools test tests spec specs`)

// language is how sources of one kind import others.
type language struct {
	exts    []string
	imports func(src Source, file, text string) []string
	ofTests *regex.Lazy // what only a helper of tests imports
}

var languages = []language{
	{[]string{".py"}, pythonImports, regex.New(`(?m)^\s*(?:import|from)\s+(?:unittest|pytest|nose2?|hypothesis|testtools|django\.test|rest_framework\.test|mock)\b`)},
	{
		[]string{".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts"},
		nodeImports,
		regex.New(`['"](?:node:test|node:assert(?:/strict)?|assert(?:/strict)?|vitest|@jest/globals|chai|tape|tap|sinon|ava|uvu|supertest|@testing-library/[^'"]+)['"]|\bexpect\(`),
	},
	{[]string{".go"}, goImports, regex.New(`"(?:testing|github\.com/stretchr/testify/\w+|gotest\.tools/[\w/]+)"`)},
	{[]string{".rb"}, rubyImports, regex.New(`require\s*\(?\s*['"](?:minitest|rspec|test/unit)|RSpec\.|Minitest::`)},
}

func languageOf(file string) (language, bool) {
	for _, l := range languages {
		if slices.Contains(l.exts, path.Ext(file)) {
			return l, true
		}
	}
	return language{}, false
}

// helpers is one search.
type helpers struct {
	src  Source
	pins Pins
	own  []string          // names of what the repository publishes
	from map[string]string // a candidate, and what reaches it
}

// Helpers are the pins of modules that only tests reach, from those of the
// pinned files that are tests.
func (p Pins) Helpers(src Source, pinned []string) Pins {
	h := &helpers{src: src, pins: p, own: published(src), from: map[string]string{}}
	var tests []string
	for _, f := range pinned {
		if _, ok := languageOf(f); ok && len(tests) < helperTests {
			tests = append(tests, f)
		}
	}
	src.prefetch(tests)
	for range helperDeep {
		if tests = h.next(tests); len(tests) == 0 {
			break
		}
	}
	h.drop()
	out := Pins{Why: map[string]Why{}}
	for name, by := range h.from {
		out.Paths = append(out.Paths, name)
		out.Why[name] = Why{WhyHelper, by}
	}
	slices.Sort(out.Paths)
	return out
}

func (s Source) prefetch(names []string) {
	if s.Prefetch != nil && len(names) > 0 {
		s.Prefetch(names)
	}
}

var (
	testBody   = regex.New(`(?m)^\s*(?:async\s+)?(?:def\s+test|class\s+\w*Test|func\s+Test)|\b(?:it|test|describe|suite)\s*(?:\.\w+)?\(`)
	testInside = regex.New(`import\.meta\.vitest`)
)

// Failing are the pins of files whose tests failed, if they hold tests and the
// product does not use them.
func (p Pins) Failing(src Source, ids []string) Pins {
	h := &helpers{src: src, pins: p, from: map[string]string{}}
	names := PinsOfFailing(ids, src.Files)
	src.prefetch(names)
	for _, f := range names {
		if text := src.read(f); !p.pinned(f) && !p.Allowed(f) && testBody.Match(text) && !testInside.Match(text) {
			h.from[f] = ""
		}
	}
	h.drop()
	out := Pins{Why: map[string]Why{}}
	for f := range h.from {
		out.Paths = append(out.Paths, f)
		out.Why[f] = Why{Kind: WhyFailing}
	}
	slices.Sort(out.Paths)
	return out
}

// next are the candidates that files import.
func (h *helpers) next(files []string) []string {
	reached := map[string]string{}
	for _, f := range files {
		l, _ := languageOf(f)
		for _, to := range l.imports(h.src, f, string(h.src.read(f))) {
			if _, known := h.from[to]; !known && h.src.exists(to) && !h.pins.pinned(to) {
				reached[to] = f
			}
		}
	}
	var names []string
	for to := range reached {
		names = append(names, to)
	}
	slices.Sort(names)
	h.src.prefetch(names)
	var found []string
	for _, to := range names {
		if h.helps(to) {
			h.from[to] = reached[to]
			found = append(found, to)
		}
	}
	return found
}

// helps reports whether a module says of itself that it is for tests: by what it
// imports, or by its name, unless it is of what the repository publishes.
func (h *helpers) helps(file string) bool {
	l, ok := languageOf(file)
	if !ok || h.publishes(file) || h.pins.Allowed(file) {
		return false
	}
	if l.ofTests.Match(h.src.read(file)) {
		return true
	}
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if path.Ext(file) == ".go" || name == "index" || name == "__init__" {
		name = path.Base(path.Dir(file))
	}
	return slices.ContainsFunc(pathWords(name), func(w string) bool { return helperWords[w] })
}

func (h *helpers) publishes(file string) bool {
	parts := strings.Split(path.Dir(file), "/")
	if path.Ext(file) == ".go" {
		return parts[0] == "." // the package at the top is the product
	}
	if parts[0] == "src" || parts[0] == "lib" || parts[0] == "python" {
		parts = parts[1:]
	}
	return len(parts) > 0 && slices.Contains(h.own, plainName(parts[0])) || slices.Contains(h.own, plainName(strings.TrimSuffix(path.Base(file), path.Ext(file))))
}

func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(path.Base(name)))
}

var projectName = regex.New(`(?m)^\s*name\s*=\s*["']?([\w.-]+)`)

// published are the names of the packages that the repository is for.
func published(src Source) []string {
	var out []string
	for _, f := range []string{"pyproject.toml", "setup.cfg", "setup.py"} {
		for _, m := range projectName.FindAllStringSubmatch(string(src.read(f)), -1) {
			out = append(out, plainName(m[1]))
		}
	}
	var pkg struct {
		Name string `json:"name"`
	}
	if b := src.read("package.json"); len(b) > 0 && json.Unmarshal(b, &pkg) == nil && pkg.Name != "" {
		out = append(out, plainName(pkg.Name))
	}
	return out
}

// drop leaves out candidates that the product reaches too, and those of which
// that is not known.
func (h *helpers) drop() {
	if len(h.from) == 0 {
		return
	}
	var product []string
	pinned := setOf(h.pins.Among(h.src.Files))
	for _, f := range h.src.Files {
		_, ok := languageOf(f)
		if _, candidate := h.from[f]; ok && !candidate && !pinned[f] && !strings.Contains(f, "node_modules/") && !isVendored(f) {
			product = append(product, f)
		}
	}
	if len(product) > helperProduct {
		clear(h.from)
		return
	}
	h.src.prefetch(product)
	seen := map[string]bool{} // of vendored files, which are the product's where it reaches them
	for len(product) > 0 {
		f := product[0]
		product = product[1:]
		l, _ := languageOf(f)
		for _, to := range l.imports(h.src, f, string(h.src.read(f))) {
			if _, candidate := h.from[to]; candidate {
				delete(h.from, to)
				product = append(product, to) // what it imports is the product's too
			} else if isVendored(to) && !seen[to] {
				seen[to] = true
				product = append(product, to)
			}
		}
	}
}

func isVendored(file string) bool {
	return strings.HasPrefix(file, "vendor/") || strings.Contains(file, "/vendor/")
}

var (
	pythonFrom   = regex.New(`(?m)^\s*from\s+(\.*)([\w.]*)\s+import\s+\(?([^#\n)]*)`)
	pythonImport = regex.New(`(?m)^\s*import\s+([\w., ]+)`)
	nodeImport   = regex.New(`(?:from|require\(|import\(|import)\s*['"](\.{1,2}/[^'"]*)['"]`)
	goImport     = regex.New(`(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w./~-]+)"`)
	rubyImport   = regex.New(`(?m)^\s*require(_relative)?\s*\(?\s*['"]([^'"]+)['"]`)
	goReplace    = regex.New(`(?m)^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\.{1,2}/\S+)`)
	goModule     = regex.New(`(?m)^module\s+(\S+)`)
)

func pythonImports(src Source, file, text string) []string {
	var out []string
	add := func(dir, module string) {
		base := path.Join(dir, strings.ReplaceAll(module, ".", "/"))
		for _, p := range []string{base + ".py", base + "/__init__.py"} {
			if src.exists(p) {
				out = append(out, p)
			}
		}
	}
	roots := []string{".", "src"}
	for d := path.Dir(file); d != "." && d != "/"; d = path.Dir(d) {
		roots = append(roots, d)
	}
	for _, m := range pythonFrom.FindAllStringSubmatch(text, -1) {
		at := roots
		if m[1] != "" {
			at = []string{path.Join(path.Dir(file), strings.Repeat("../", len(m[1])-1))}
		}
		for _, dir := range at {
			if m[2] != "" {
				add(dir, m[2])
			}
			for name := range strings.SplitSeq(m[3], ",") {
				if name, _, _ = strings.Cut(strings.TrimSpace(name), " "); name != "" && name != "*" {
					add(dir, strings.TrimPrefix(m[2]+"."+name, "."))
				}
			}
		}
	}
	for _, m := range pythonImport.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(m[1], ",") {
			if name, _, _ = strings.Cut(strings.TrimSpace(name), " "); name != "" {
				for _, dir := range roots {
					add(dir, name)
				}
			}
		}
	}
	return out
}

func nodeImports(src Source, file, text string) []string {
	var out []string
	for _, m := range nodeImport.FindAllStringSubmatch(text, -1) {
		base := path.Join(path.Dir(file), m[1])
		bare := strings.TrimSuffix(base, path.Ext(base))
		for _, ext := range []string{"", ".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts", "/index.js", "/index.ts", "/index.mjs", "/index.tsx"} {
			for _, p := range []string{base + ext, bare + ext} {
				if src.exists(p) && !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

func goImports(src Source, file, text string) []string {
	root := path.Dir(file)
	for !src.exists(path.Join(root, "go.mod")) {
		if root == "." || root == "/" {
			return nil
		}
		root = path.Dir(root)
	}
	m := goModule.FindStringSubmatch(string(src.read(path.Join(root, "go.mod"))))
	if m == nil {
		return nil
	}
	var out []string
	places := map[string]string{m[1]: root}
	for _, r := range goReplace.FindAllStringSubmatch(string(src.read(path.Join(root, "go.mod"))), -1) {
		places[r[1]] = path.Join(root, r[2])
	}
	for _, i := range goImport.FindAllStringSubmatch(text, -1) {
		found := false
		for module, dir := range places {
			if below, ok := strings.CutPrefix(i[1], module); ok && (below == "" || below[0] == '/') {
				out = append(out, src.sources(path.Join(dir, below))...)
				found = true
			}
		}
		if !found && strings.Contains(i[1], ".") {
			out = append(out, src.sources(path.Join(root, "vendor", i[1]))...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sources are the Go files of a folder that are no tests.
func (s Source) sources(dir string) []string {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	at, _ := slices.BinarySearch(s.Files, prefix)
	var out []string
	for _, f := range s.Files[at:] {
		rest, ok := strings.CutPrefix(f, prefix)
		if !ok {
			break
		}
		if !strings.Contains(rest, "/") && strings.HasSuffix(rest, ".go") && !strings.HasSuffix(rest, "_test.go") {
			out = append(out, f)
		}
	}
	return out
}

func rubyImports(src Source, file, text string) []string {
	var out []string
	for _, m := range rubyImport.FindAllStringSubmatch(text, -1) {
		dirs := []string{".", "lib", "test", "spec"}
		if m[1] != "" {
			dirs = []string{path.Dir(file)}
		}
		for _, d := range dirs {
			if p := path.Join(d, strings.TrimSuffix(m[2], ".rb")+".rb"); src.exists(p) {
				out = append(out, p)
			}
		}
	}
	return out
}
