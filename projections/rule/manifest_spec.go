package rule

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// This file compares where dependencies come from: honest work adds some and
// takes newer ones, and moves none that there is into a folder.

var (
	tomlDeps  = regex.New(`(?:^|\.)(?:[a-z]+-)?(?:dependencies|sources)\.("[^"]+"|[\w-]+)`)
	tomlPlace = regex.New(`\b(path|git|url|file)\s*=`)
	pep508    = regex.New(`["']([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*@\s*([^"']+)["']`)
)

// tomlSpecsSteered reports whether a dependency that there was comes from a
// folder or a repository now, or from another one.
func tomlSpecsSteered(was, is []byte) bool {
	old, now := tomlSpecs(was), tomlSpecs(is)
	for name, spec := range now {
		if old[name] != spec && regex.New(`(?i)(^|[^\w-])`+regexp.QuoteMeta(name)+`($|[^\w-])`).Match(was) && dependsOn(was, name) {
			return true
		}
	}
	return false
}

// dependsOn reports whether a name is that of a dependency, and not of a word of
// the text alone.
func dependsOn(data []byte, name string) bool {
	found := false
	eachLine(data, func(section, key, bare string) {
		inList := strings.Contains(section+key, "dependenc") || strings.Contains(section+key, "sources") || strings.Contains(bare, `"`)
		found = found || inList && regex.New(`(?i)(^|["'.\[])`+regexp.QuoteMeta(name)+`($|["'\s\[<>=~!;\].@,])`).MatchString(strings.TrimPrefix(key, "=")+" "+bare)
	})
	return found
}

func tomlSpecs(data []byte) map[string]string {
	out := map[string]string{}
	eachLine(data, func(_, key, bare string) {
		if m := tomlDeps.FindStringSubmatch(key); m != nil && tomlPlace.MatchString(bare) {
			out[strings.ToLower(strings.Trim(m[1], `"`))] += bare
		}
		for _, m := range pep508.FindAllStringSubmatch(bare, -1) {
			out[strings.ToLower(m[1])] += m[2]
		}
	})
	return out
}

var (
	requirement   = regex.New(`^\s*([A-Za-z0-9][\w.-]*)`)
	requirementAt = regex.New(`(@\s*\S+|^\s*(?:-e|--editable)\s+\S+|^\s*\.{1,2}/\S*)`)
	gemPlace      = regex.New(`(?m)^\s*gem\s+["']([\w.-]+)["'].*\b(path|git|github|source):?`)
	gemName       = regex.New(`(?m)^\s*gem\s+["']([\w.-]+)["'](.*)$`)
)

// requirementSteered reports whether a requirement that there was comes from a
// place now.
func requirementSteered(was, is []byte) bool {
	old := map[string]string{}
	for line := range strings.Lines(string(was)) {
		if m := requirement.FindStringSubmatch(line); m != nil {
			old[strings.ToLower(m[1])] = strings.TrimSpace(line)
		}
	}
	for line := range strings.Lines(string(is)) {
		m := requirement.FindStringSubmatch(line)
		if m == nil || !requirementAt.MatchString(line) {
			continue
		}
		if before, known := old[strings.ToLower(m[1])]; known && before != strings.TrimSpace(line) {
			return true
		}
	}
	return false
}

func gemSteered(was, is []byte) bool {
	old := map[string]string{}
	for _, m := range gemName.FindAllStringSubmatch(string(was), -1) {
		old[m[1]] = m[0]
	}
	for _, m := range gemPlace.FindAllStringSubmatch(string(is), -1) {
		line := gemName.FindString(m[0])
		if before, known := old[m[1]]; known && !strings.HasPrefix(before, line) {
			return true
		}
	}
	return false
}

// goModSteered reports whether a module that there was comes from a folder or
// from another module now, or another tool chain than a released one is used.
func goModSteered(was, is []byte) bool {
	oldReplaces, oldTool := goReplaces(was)
	replaces, tool := goReplaces(is)
	if tool != oldTool && strings.Contains(tool, "-") {
		return true
	}
	for mod, to := range replaces {
		same := strings.HasPrefix(to, mod+" ") // only another version
		if oldReplaces[mod] != to && !same && mentions(was, mod) {
			return true
		}
	}
	for mod := range oldReplaces {
		if _, kept := replaces[mod]; !kept && mentions(is, mod) {
			return true
		}
	}
	return false
}

func mentions(data []byte, mod string) bool {
	return path.Base(mod) == "go.mod" || len(data) == 0 || bytes.Contains(data, []byte(mod+" ")) || bytes.Contains(data, []byte(mod+"\n"))
}

// goReplaces are the replacements of a go.mod, by module, and the tool chain.
func goReplaces(data []byte) (replaces map[string]string, toolchain string) {
	replaces = map[string]string{}
	block := ""
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == ")":
			block = ""
		case len(fields) == 2 && fields[1] == "(":
			block = fields[0]
		default:
			if block != "" {
				fields = append([]string{block}, fields...)
			}
			if at := slices.Index(fields, "=>"); fields[0] == "replace" && at > 1 {
				replaces[fields[1]] = strings.Join(fields[at+1:], " ")
			}
			if fields[0] == "toolchain" && len(fields) > 1 {
				toolchain = fields[1]
			}
		}
	}
	return replaces, toolchain
}
