package outcome

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/strictyaml"
)

//go:embed patterns.yaml
var patternsYAML []byte

// pattern is one wording of a program.
type pattern struct {
	ID      string   `yaml:"id"`
	Program string   `yaml:"program"` // a format, or any
	Date    string   `yaml:"date"`    // when it was last seen, or added
	Outcome string   `yaml:"outcome"`
	Match   string   `yaml:"match"` // a regular expression, without regard to case
	Samples []string `yaml:"samples"`

	outcome Outcome
	line    *regexp.Regexp // a whole line, after what programs put before their errors
	any     *regexp.Regexp // anywhere in a message that is known to be of a failure
}

type patternFile struct {
	Version  string    `yaml:"version"`
	Patterns []pattern `yaml:"patterns"`
}

// before is what programs put before the text of an error.
const before = `^(?:[\d:TZ.+\- ]*\b(?:ERROR|error|Error|WARN)\b[:\s]+|\w+(?:Error|Exception):\s+|\[?API Error:?\s+(?:\(?\d{3}\)?\s+)?|(?:HTTP\s+)?[45]\d\d[:\s]+|[^\w\s]+\s*)*`

// patterns are those of the file. It is part of the program, so one that cannot
// be read is a fault of it.
var patterns = sync.OnceValue(func() patternFile {
	f, err := parsePatterns(patternsYAML)
	if err != nil {
		panic(fmt.Sprintf("outcome: patterns.yaml: %v", err))
	}
	return f
})

// Version is the date of the wordings.
func Version() string { return patterns().Version }

func parsePatterns(src []byte) (patternFile, error) {
	var f patternFile
	doc, err := strictyaml.Parse(src)
	if err != nil {
		return f, err
	}
	if err := doc.Decode(&f); err != nil {
		return f, err
	}
	for i := range f.Patterns {
		p := &f.Patterns[i]
		if p.outcome = Outcome(p.Outcome); !slices.Contains(All(), p.outcome) {
			return f, fmt.Errorf("pattern %s: there is no outcome %q", p.ID, p.Outcome)
		}
		if p.any, err = regexp.Compile("(?i)(?:" + p.Match + ")"); err != nil {
			return f, fmt.Errorf("pattern %s: %w", p.ID, err)
		}
		if p.line, err = regexp.Compile("(?i)" + before + "(?:" + p.Match + ")"); err != nil {
			return f, fmt.Errorf("pattern %s: %w", p.ID, err)
		}
	}
	return f, nil
}

// maxMatch bounds what is matched, in bytes.
const maxMatch = 2 << 10

// match finds the first pattern for a text: of that program, then of any.
func match(f stream.Format, t string, line bool) (pattern, bool) {
	t = t[:min(len(t), maxMatch)]
	if t == "" {
		return pattern{}, false
	}
	own := func(program string) bool { return program == "any" || program == string(f) }
	rounds := []func(program string) bool{own}
	if f == stream.Text { // what any program says goes before what one says
		rounds = append(rounds, func(string) bool { return true })
	}
	for _, fits := range rounds {
		for _, p := range patterns().Patterns {
			re := p.any
			if line {
				re = p.line
			}
			if fits(p.Program) && re.MatchString(t) {
				return p, true
			}
		}
	}
	return pattern{}, false
}
