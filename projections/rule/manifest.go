package rule

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"

	"autopilot/projections/regex"
)

// partChanged reports whether the pinned part of a file changed. Missing
// contents close the gate.
func (p Pins) partChanged(c Change) bool {
	if c.Old == nil || c.New == nil {
		return true
	}
	if bytes.Equal(c.Old, c.New) {
		return false
	}
	part, reached := p.Parts[c.Path]
	if reached && partReachedChanged(c.Old, c.New, part) {
		return true
	}
	for _, m := range manifests {
		if GlobMatch(m.glob, c.Path) {
			return m.changed(c.Old, c.New)
		}
	}
	return !reached
}

// manifest is a kind of file of which only what steers tests is pinned.
type manifest struct {
	glob    string
	changed func(was, is []byte) bool
	isNew   bool // a new one steers too, where it has such a part
	limited bool // pinned only where a gate reaches it
}

// manifests are all that are known; whole files are compared by their bytes.
var manifests = []manifest{
	{glob: "package.json", changed: packageSteered, limited: true},
	{glob: "pyproject.toml", changed: inSections(pyprojectSection, true)},
	{glob: "setup.cfg", changed: inSections(setupSection, false)},
	{glob: "Cargo.toml", changed: inSections(cargoSection, true)},
	{glob: "{.npmrc,.yarnrc}", changed: npmrcSteered, isNew: true},
	{glob: ".yarnrc.yml", changed: inKeys("yarnPath", "plugins", "injectEnvironmentFiles", "enableScripts"), isNew: true},
	{glob: "pnpm-workspace.yaml", changed: inKeys("overrides", "patchedDependencies", "configDependencies", "scriptShell", "shellEmulator", "nodeOptions", "pnpmfile", "packageExtensions", "enablePrePostScripts", "useNodeVersion")},
	{glob: "{.pnpmfile.cjs,.pnpmfile.mjs}", changed: inBytes},
	{glob: "go.mod", changed: goModSteered},
	{glob: "go.work", changed: goModSteered, isNew: true},
	{glob: "**/.cargo/{config,config.toml}", changed: inSections(cargoConfig, false), isNew: true},
	{glob: "{rust-toolchain,rust-toolchain.toml,.tool-versions,.mise.toml,mise.toml,.python-version,.nvmrc,.node-version,.ruby-version,.java-version,.envrc}", changed: inBytes},
	{glob: "{requirements,constraints}*.{txt,in}", changed: requirementSteered},
	{glob: "Gemfile", changed: gemSteered},
	{glob: "composer.json", changed: composerSteered},
	{glob: "pom.xml", changed: inBlocks(pomBlock)},
	{glob: "build.{gradle,gradle.kts}", changed: inBraces(gradleBlock)},
	{glob: "**/.mvn/{maven.config,jvm.config,extensions.xml}", changed: inBytes, isNew: true},
	{glob: "vite.config.{ts,js,mts,mjs,cts,cjs}", changed: func(a, b []byte) bool { return viteTest(a) != viteTest(b) }, limited: true},
	{glob: "{.babelrc,.babelrc.*,babel.config.*,.swcrc}", changed: inBytes, limited: true},
	{glob: "tsconfig*.json", changed: tsconfigSteered, limited: true},
}

// DefaultManifests are the globs of files that are pinned only where they
// steer tests, whatever the gates are.
func DefaultManifests() []string {
	var out []string
	for _, m := range manifests {
		if !m.limited {
			out = append(out, m.glob)
		}
	}
	return out
}

// steersAnew reports whether a new file counts where it has a part that steers.
func steersAnew(name string) bool {
	return slices.ContainsFunc(manifests, func(m manifest) bool { return m.isNew && GlobMatch(m.glob, name) })
}

func inBytes(was, is []byte) bool {
	return !bytes.Equal(bytes.TrimSpace(was), bytes.TrimSpace(is))
}

// packageSteered compares a package.json of which no script is reached.
func packageSteered(was, is []byte) bool {
	a, okA := readPackage(was)
	b, okB := readPackage(is)
	return !okA || !okB || specsSteered(a, b) || partReachedChanged(was, is, Part{Kind: PartNode})
}

// A section is named by its header; keys before the first header have "". A
// dotted key counts by its whole name, so [tool.pytest] addopts and
// tool.pytest.addopts are seen alike.
var (
	pyprojectSection = regex.New(`^tool\.(pytest|coverage|tox|nox|hatch\.envs|poe|pdm\.scripts|unittest)\b`)
	setupSection     = regex.New(`^(tool:pytest|pytest|coverage|tox|testenv|nosetests|aliases|test)\b`)
	cargoSection     = regex.New(`^(test|bench|profile\.test|lib\.(test|doctest|harness|bench|path)|bin\.(test|bench)|package\.(auto(tests|benches)|build)|patch|replace)\b`)
	cargoConfig      = regex.New(`^(alias|build\.rust|build\.build|target|env|source|patch|paths|unstable|include|profile\.test|host|http\.proxy)`)
	sectionHeader    = regex.New(`^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$`)
	sectionKey       = regex.New(`^([A-Za-z0-9_.\-"' ]+?)\s*[=:]`)
)

func inSections(watched *regex.Lazy, specs bool) func(was, is []byte) bool {
	return func(was, is []byte) bool {
		return !slices.Equal(sectionLines(was, watched), sectionLines(is, watched)) || specs && tomlSpecsSteered(was, is)
	}
}

// sectionLines are the lines of a TOML or INI file that belong to a watched
// section or key, without comments and outer spaces. It reads lines, not the
// grammar: what it takes for part of a section errs towards a violation.
func sectionLines(data []byte, watched *regex.Lazy) []string {
	var lines []string
	inside := false
	eachLine(data, func(section, key, bare string) {
		if section == "" && key == "" {
			inside = false
		} else if key == "" || key != "=" {
			inside = watched.MatchString(section) || watched.MatchString(key)
		}
		if inside {
			lines = append(lines, section+"|"+bare)
		}
	})
	return lines
}

// eachLine calls do for the lines of a TOML or INI file that say something: with
// the section, the whole name of the key (empty of a header, "=" of a line that
// goes on), and the line.
func eachLine(data []byte, do func(section, key, bare string)) {
	section := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimSpace(line)
		if bare == "" || bare[0] == '#' || bare[0] == ';' {
			continue
		}
		if m := sectionHeader.FindStringSubmatch(line); m != nil {
			section = strings.NewReplacer(`"`, "", `'`, "").Replace(m[1])
			do(section, "", bare)
			continue
		}
		key := "="
		if m := sectionKey.FindStringSubmatch(line); m != nil {
			key = strings.NewReplacer(`"`, "", `'`, "", " ", "").Replace(m[1])
			if section != "" {
				key = section + "." + key
			}
		}
		do(section, key, bare)
	}
}

var npmrcKey = regex.New(`^(script-shell|shell|node-options|prefix|ignore-scripts|globalconfig|userconfig|shell-emulator|enable-pre-post-scripts|use-node-version|node-version|node|pnpmfile|global-pnpmfile|if-present|workspace|workspaces|include-workspace-root|dry-run|yarn-path|node-path|node-gyp|unsafe-perm)$|^--`)

// npmrcSteered compares the settings of npm and its like that say with what
// scripts run.
func npmrcSteered(was, is []byte) bool {
	return !slices.Equal(npmrcLines(was), npmrcLines(is))
}

func npmrcLines(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			name, value, _ = strings.Cut(line, " ")
		}
		name = strings.ToLower(strings.ReplaceAll(strings.Trim(strings.TrimSpace(name), `"`), "_", "-"))
		if npmrcKey.MatchString(name) {
			out = append(out, name+"="+strings.TrimSpace(value))
		}
	}
	slices.Sort(out)
	return out
}

// inKeys compares top-level keys of YAML.
func inKeys(keys ...string) func(was, is []byte) bool {
	return func(was, is []byte) bool {
		var a, b map[string]any
		if yaml.Unmarshal(was, &a) != nil || yaml.Unmarshal(is, &b) != nil {
			return true
		}
		return slices.ContainsFunc(keys, func(k string) bool { return yamlText(a[k]) != yamlText(b[k]) })
	}
}

// composerSteered compares scripts that there were, and where packages come from.
func composerSteered(was, is []byte) bool {
	var a, b map[string]any
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil {
		return true
	}
	if fmt.Sprint(a["repositories"]) != fmt.Sprint(b["repositories"]) {
		return true
	}
	old, _ := a["scripts"].(map[string]any)
	now, _ := b["scripts"].(map[string]any)
	for name, body := range old {
		if fmt.Sprint(body) != fmt.Sprint(now[name]) {
			return true
		}
	}
	for name := range now {
		if _, known := old[name]; !known && (strings.HasPrefix(name, "pre-") || strings.HasPrefix(name, "post-")) {
			return true
		}
	}
	return false
}

// tsconfigSteered compares where modules of a configuration of TypeScript lead.
func tsconfigSteered(was, is []byte) bool {
	type config struct {
		Extends any `json:"extends"`
		Options struct {
			Paths   map[string]any `json:"paths"`
			BaseURL any            `json:"baseUrl"`
			Plugins any            `json:"plugins"`
		} `json:"compilerOptions"`
		Node any `json:"ts-node"`
	}
	var a, b config
	if json.Unmarshal(uncommented(was), &a) != nil || json.Unmarshal(uncommented(is), &b) != nil {
		return true
	}
	for name, to := range a.Options.Paths {
		if now, kept := b.Options.Paths[name]; kept && fmt.Sprint(to) != fmt.Sprint(now) {
			return true
		}
	}
	return fmt.Sprint(a.Extends, a.Options.Plugins, a.Node) != fmt.Sprint(b.Extends, b.Options.Plugins, b.Node) ||
		a.Options.BaseURL != nil && fmt.Sprint(a.Options.BaseURL) != fmt.Sprint(b.Options.BaseURL)
}

var (
	pomBlock    = regex.New(`(?s)<plugin>(?:[^<]|<[^/]|</[^p])*?(?:surefire|failsafe).*?</plugin>|<(?:skipTests|maven\.test\.[a-zA-Z.]+|skipITs|testFailureIgnore|surefire[^>]*|test|testSourceDirectory)>[^<]*<`)
	gradleBlock = regex.New(`(?m)\b(?:test|tasks\.test|tasks\.named\(["']test["']\)|tasks\.named<Test>\([^)]*\)|tasks\.withType[<(]Test[>)](?:\(\))?(?:\.configureEach)?|check)\s*\{`)
)

// inBlocks compares what a pattern finds.
func inBlocks(block *regex.Lazy) func(was, is []byte) bool {
	return func(was, is []byte) bool {
		return !slices.Equal(spaced(block.FindAll(was, -1)), spaced(block.FindAll(is, -1)))
	}
}

// inBraces compares the blocks whose heads a pattern finds.
func inBraces(head *regex.Lazy) func(was, is []byte) bool {
	find := func(data []byte) []string {
		var out [][]byte
		for _, at := range head.FindAllIndex(data, -1) {
			inner, _ := balanced(string(data), at[1]-1)
			out = append(out, append(slices.Clone(data[at[0]:at[1]]), inner...))
		}
		return spaced(out)
	}
	return func(was, is []byte) bool { return !slices.Equal(find(was), find(is)) }
}

func spaced(list [][]byte) []string {
	var out []string
	for _, b := range list {
		out = append(out, strings.Join(strings.Fields(string(b)), " "))
	}
	return out
}

// viteTest is the test section of a configuration of vite.
func viteTest(text []byte) string {
	at := viteTestAt.FindIndex(text)
	if at == nil {
		return ""
	}
	inner, _ := balanced(string(text), at[1]-1)
	return strings.Join(strings.Fields(inner), " ")
}

var viteTestAt = regex.New(`(?m)\btest\s*:\s*\{`)
