package rule

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// partChanged reports whether the pinned part of a manifest changed. Missing
// contents close the gate.
func partChanged(c Change) bool {
	if c.Old == nil || c.New == nil {
		return true
	}
	switch path.Base(c.Path) {
	case "package.json":
		return PackageJSONChanged(c.Old, c.New)
	case "pyproject.toml":
		return sectionsChanged(c.Old, c.New, pyprojectSection)
	case "setup.cfg":
		return sectionsChanged(c.Old, c.New, setupSection)
	case "Cargo.toml":
		return sectionsChanged(c.Old, c.New, cargoSection)
	}
	return !bytes.Equal(c.Old, c.New)
}

// packageKeys are the members of package.json that steer tests.
var packageKeys = []string{"scripts", "jest", "vitest", "mocha", "ava", "c8", "nyc", "tap"}

// PackageJSONChanged reports whether two package.json files differ in their
// scripts or in the configuration of a test runner. Order, spaces and all
// other members do not count; what cannot be read counts as changed.
func PackageJSONChanged(was, is []byte) bool {
	if bytes.Equal(was, is) {
		return false
	}
	a, errA := packageParts(was)
	b, errB := packageParts(is)
	return errA != nil || errB != nil || !slices.EqualFunc(a, b, bytes.Equal)
}

func packageParts(data []byte) ([][]byte, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	parts := make([][]byte, len(packageKeys))
	for i, key := range packageKeys {
		v := members[key]
		if v == nil {
			continue
		}
		if err := v.Canonicalize(); err != nil {
			return nil, err
		}
		parts[i] = v
	}
	return parts, nil
}

// A section is named by its header; keys before the first header have "". A
// dotted key counts by its whole name, so [tool.pytest] addopts and
// tool.pytest.addopts are seen alike.
var (
	pyprojectSection = regexp.MustCompile(`^tool\.(pytest|coverage|tox|nox|hatch\.envs|poe|pdm\.scripts|unittest)\b`)
	setupSection     = regexp.MustCompile(`^(tool:pytest|pytest|coverage|tox|testenv|nosetests|aliases|test)\b`)
	cargoSection     = regexp.MustCompile(`^(test|bench|profile\.test|lib\.(test|doctest|harness|bench)|bin\.(test|bench)|package\.auto(tests|benches))\b`)
	sectionHeader    = regexp.MustCompile(`^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$`)
	sectionKey       = regexp.MustCompile(`^([A-Za-z0-9_.\-"' ]+?)\s*[=:]`)
)

func sectionsChanged(was, is []byte, watched *regexp.Regexp) bool {
	return !slices.Equal(sectionLines(was, watched), sectionLines(is, watched))
}

// sectionLines are the lines of a TOML or INI file that belong to a watched
// section or key, without comments and outer spaces. It reads lines, not the
// grammar: what it takes for part of a section errs towards a violation.
func sectionLines(data []byte, watched *regexp.Regexp) []string {
	var lines []string
	section, inside := "", false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimSpace(line)
		if bare == "" || bare[0] == '#' || bare[0] == ';' {
			continue
		}
		if m := sectionHeader.FindStringSubmatch(line); m != nil {
			section = strings.NewReplacer(`"`, "", `'`, "").Replace(m[1])
			inside = watched.MatchString(section)
		} else if m := sectionKey.FindStringSubmatch(line); m != nil {
			key := strings.NewReplacer(`"`, "", `'`, "", " ", "").Replace(m[1])
			if section != "" {
				key = section + "." + key
			}
			inside = watched.MatchString(section) || watched.MatchString(key)
		}
		if inside {
			lines = append(lines, section+"|"+bare)
		}
	}
	return lines
}
