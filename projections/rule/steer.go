package rule

import (
	"path"
	"slices"
	"strings"
)

// Steer says how a file that came since the start can decide what a gate says,
// beside being the product.
type Steer string

// The ways. What a runner finds by its name or place needs no line of the product
// that asks for it.
const (
	SteersNot   Steer = ""
	SteersTest  Steer = "test"          // a test, or what tests load by its place
	SteersTool  Steer = "configuration" // read by a runner or tool by its name
	SteersPlace Steer = "shadow"        // in the place of a module of the language or of a library
)

// Surroundings are what the loader of a language would find elsewhere under a name.
type Surroundings struct {
	Modules map[string]bool // names of top-level modules that are installed: unittest, pytest
}

// Steers says whether a file that an agent added can steer gates: tests and what
// runners load by name, configuration of tools, and modules in the place of
// installed ones. Blank files and data cannot; nor can product that a test asks for.
//
// The globs are those of DefaultPins, which name what proves work, and a form: a name
// that begins with a dot, and a name that says that it configures.
func Steers(name string, around Surroundings) Steer {
	switch {
	case around.shadows(name):
		return SteersPlace
	case matchAny(toolFolders, name):
		return SteersTool
	case strings.HasPrefix(name, projectDir), isData(name):
		return SteersNot
	case matchAny(toolGlobs, name):
		return SteersTool
	case matchAny(runnerGlobs, name):
		return SteersTest
	case matchAny(DefaultPins(), name) && !matchAny(derived, name):
		return SteersTest
	}
	return SteersNot
}

// shadows says that an import of the name that a file has would have found an
// installed module, and finds this file first: it lies where imports begin.
func (s Surroundings) shadows(name string) bool {
	first, rest, nested := strings.Cut(strings.TrimPrefix(name, "src/"), "/")
	module := strings.TrimSuffix(first, path.Ext(first))
	if nested {
		module = first
	}
	if !nested && !slices.Contains([]string{".py", ".pth", ".so", ".pyd"}, path.Ext(first)) || nested && path.Ext(rest) != ".py" {
		return false
	}
	return s.Modules[module]
}

// toolGlobs are what tools read by name, so that one file turns all that they do.
var toolGlobs = []string{
	// Loaded by an interpreter or a shell before anything else.
	"sitecustomize.py", "usercustomize.py", "*.pth", ".envrc",
	// Of package managers and builds: scripts, plug-ins and what stands in for a dependency.
	".npmrc", ".yarnrc*", ".pnpmfile.*", "pnpmfile.*", ".pnp.*", "go.work", "pip.conf", "bunfig.toml",
	// Of test runners and of what they compile by.
	"{jest,vitest,vite,ava,karma,playwright,cypress,wdio,babel}.config.*", ".*rc", ".*rc.{js,cjs,mjs,ts,json,yaml,yml,toml}", "conftest.py",
	"{pytest,tox,nose2,noxfile,unittest,nose}.{ini,toml,cfg,py}", ".pytest.ini", "phpunit.xml*", ".rspec", "cypress.json", "*.runsettings", "nextest.toml",
	"CTestCustom.*", "Directory.Build.*",
}

// toolFolders are read by tools with all that is in them.
var toolFolders = []string{"**/.yarn/**", "**/.cargo/**", "**/node_modules/**", "/vendor/**"}

// runnerGlobs are what runners load from the folders of tests beside tests.
var runnerGlobs = []string{"{jest,vitest,mocha,test,tests,spec}[-_.]{setup,helper,helpers,init,preload}.*", "setup[-_.]tests.*", "setupTests.*", "**/spec/support/**", "**/test/support/**"}

// dataSuffixes are of files that tests compare with or read: they steer nothing.
var dataSuffixes = wordSet(`.md .rst .txt .csv .tsv .sql .html .htm .css .svg .png .jpg .jpeg .gif .webp .ico .pdf .bin .dat .gz .zip .tar
	.golden .snap .ambr .approved .lock .sum .log .out .in .expected .want .xml .jsonl .ndjson .parquet .wav .mp3 .woff .woff2 .ttf .wasm .proto .graphql .pem .crt .key`)

// isData says that a file holds no code and no settings. A JSON or YAML file in a
// folder of tests is read by a test that names it.
func isData(name string) bool {
	base := path.Base(name)
	if strings.HasPrefix(base, ".") || matchAny([]string{"phpunit.xml*", "phpunit.dist.xml", "testng.xml", "Directory.Build.*", "CTestCustom.*"}, name) {
		return false
	}
	ext := path.Ext(base)
	if dataSuffixes[ext] || strings.HasPrefix(base, "doctest") && ext == ".txt" {
		return true
	}
	return slices.Contains([]string{".json", ".yaml", ".yml", ".toml", ".ini"}, ext) && matchAny([]string{"**/{fixtures,__fixtures__,testdata,data,snapshots,__snapshots__}/**"}, name)
}
