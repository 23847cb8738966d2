package project

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// manifest is what matters of a package.json. Scripts are kept raw, as a wrong
// one must not hide the others.
type manifest struct {
	Manager string                    `json:"packageManager"`
	Scripts map[string]jsontext.Value `json:"scripts"`
	Deps    map[string]jsontext.Value `json:"dependencies"`
	DevDeps map[string]jsontext.Value `json:"devDependencies"`
	Spaces  jsontext.Value            `json:"workspaces"`
}

func (m manifest) script(name string) string {
	var s string
	if json.Unmarshal(m.Scripts[name], &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}

func (m manifest) firstScript(names ...string) string {
	for _, n := range names {
		if m.script(n) != "" {
			return n
		}
	}
	return ""
}

func readNode(t tree) (part, bool) {
	const file = "package.json"
	p := part{kind: "node", from: file}
	b, ok := t.read(file)
	if !ok {
		return p, false
	}
	var m manifest
	if err := json.Unmarshal(b, &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		p.says(file, "cannot be read as JSON")
		return p, true
	}
	pm, up := nodeManagerAbove(t, m)
	if pm.lock != "" {
		p.says(up+pm.lock, pm.name+" installs the packages")
	}
	p.test = nodeTest(&p, m, pm)
	for _, c := range []struct {
		name  string
		names []string
	}{{"lint", []string{"lint"}}, {"typecheck", []string{"typecheck", "type-check", "check-types", "types", "tsc"}}} {
		if s := m.firstScript(c.names...); s != "" && !watches(m.script(s)) {
			p.check(c.name, pm.run+" "+s, file)
		}
	}
	if up == "" && (pm.lock != "" || len(m.Deps)+len(m.DevDeps) > 0 || len(m.Spaces) > 0) { // else it is set up above
		p.setup = pm.setup
	}
	return p, true
}

// nodeTest is the command of the test script. The one that npm init writes is
// none, and one that watches files never ends.
func nodeTest(p *part, m manifest, pm manager) string {
	const file = "package.json"
	text := m.script("test")
	switch {
	case text == "" && m.firstScript("test:ci", "test:unit") != "":
	case text == "":
		p.says(file, "no test script")
		return ""
	case strings.Contains(text, "no test specified"):
		p.says(file, "its test script is the one that npm init writes, no test")
		return ""
	case !watches(text):
		p.says(file, "test script: "+text)
		return pm.test
	}
	if other := m.firstScript("test:ci", "test:unit"); other != "" && !watches(m.script(other)) {
		p.says(file, other+" script: "+m.script(other))
		return pm.run + " " + other
	}
	p.says(file, "its test script watches files and never ends: "+text)
	return ""
}

func watches(script string) bool {
	words := strings.Fields(script)
	return slices.Contains(words, "--watch") || slices.Contains(words, "--watchAll") || slices.Contains(words, "watch")
}

// manager is a package manager.
type manager struct{ name, test, run, setup, lock string }

// nodeManagerAbove is the manager of a package, or of the directory above it whose lock
// file or manifest names one.
func nodeManagerAbove(t tree, m manifest) (pm manager, up string) {
	own := nodeManager(t, m)
	if own.lock != "" || m.Manager != "" {
		return own, ""
	}
	for at, ok := t.parent(); ok; at, ok = at.parent() {
		up += "../"
		var above manifest
		b, _ := at.read("package.json")
		_ = json.Unmarshal(b, &above, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // one that cannot be read names none
		if pm := nodeManager(at, above); pm.lock != "" || above.Manager != "" {
			return pm, up
		}
	}
	return own, ""
}

// nodeManager is the one that the manifest names, else that of the lock file.
func nodeManager(t tree, m manifest) manager {
	npm := manager{"npm", "npm test", "npm run", "npm install", ""}
	yarn := manager{"yarn", "yarn test", "yarn run", "yarn install --frozen-lockfile", ""}
	if t.has(".yarnrc.yml") {
		yarn.setup = "yarn install --immutable"
	}
	named, _, _ := strings.Cut(m.Manager, "@")
	var found manager
	for _, c := range []struct {
		manager
		locks []string
	}{
		{manager{"pnpm", "pnpm test", "pnpm run", "pnpm install --frozen-lockfile", ""}, []string{"pnpm-lock.yaml"}},
		{yarn, []string{"yarn.lock"}},
		{manager{"bun", "bun run test", "bun run", "bun install --frozen-lockfile", ""}, []string{"bun.lock", "bun.lockb"}},
		{npm, []string{"package-lock.json", "npm-shrinkwrap.json"}},
	} {
		c.lock = t.first(c.locks...)
		if c.name == "npm" && c.lock != "" {
			c.setup = "npm ci"
		}
		if c.name == named {
			return c.manager
		}
		if c.lock != "" && found.name == "" {
			found = c.manager
		}
	}
	if found.name == "" {
		return npm
	}
	return found
}
