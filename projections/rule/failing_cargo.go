package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	cargoBegin   = regex.New(`^running \d+ tests?$`)
	cargoTest    = regex.New(`^(?:test )?(\S.*?)(?: - (?:should panic|compile fail|compile))?(?: \.\.\.| ---) FAILED$`)
	cargoRerun   = regex.New("^error: (?:doc)?test failed, to rerun pass [`'](.*?)[`']$")
	cargoCompile = regex.New("^error: could not compile [`'](\\S+?)[`']")
)

// cargo reads what cargo test prints: for each target the output of its test
// binary, then, if that failed, how to run it again.
type cargo struct {
	ids    []string
	target cargoTarget
	failed []string // of test binaries whose target is not named yet
	seen   cargoSeen
}

// cargoTarget is one test binary.
type cargoTarget struct {
	running bool     // it has begun, and not said how it ended
	list    bool     // within a list of failures
	seen    []string // marked as failed while they ran
	listed  []string // of the latest list: an output of a test can look like one
	details bool     // the tests are over
}

func (c *cargo) line(line string) {
	c.seen.line(line, c.target.running)
	switch {
	case strings.HasPrefix(line, "running "):
		if cargoBegin.MatchString(line) {
			c.close()
			c.target = cargoTarget{running: true}
		}
	case strings.HasPrefix(line, "error: "):
		c.error(line)
	case c.target.running:
		c.result(line)
	}
}

func (c *cargo) result(line string) {
	t := &c.target
	switch {
	case strings.HasPrefix(line, "test result: "):
		if strings.HasPrefix(line, "test result: FAILED") {
			if t.listed == nil {
				t.listed = t.seen
			}
			c.failed = append(c.failed, t.listed...)
		}
		c.target = cargoTarget{}
	case line == "failures:":
		t.list, t.details, t.listed = true, true, nil
	case t.list && strings.HasPrefix(line, "    "):
		t.listed = append(t.listed, line[4:])
	case t.list && line != "":
		t.list = false
	case !t.details && strings.HasSuffix(line, " FAILED"):
		if m := cargoTest.FindStringSubmatch(line); m != nil {
			t.seen = append(t.seen, m[1])
		}
	}
}

// error reads what cargo says of the target before it, or of a build.
func (c *cargo) error(line string) {
	if m := cargoCompile.FindStringSubmatch(line); m != nil {
		c.ids = append(c.ids, m[1]+" [build failed]")
		return
	}
	m := cargoRerun.FindStringSubmatch(line)
	if m == nil {
		return
	}
	tests := c.failed
	switch {
	case c.target.running:
		tests = append(tests, append(c.target.seen, "[aborted]")...)
	case len(tests) == 0:
		tests = []string{"[failed]"}
	}
	scope := cargoScope(m[1])
	for _, t := range tests {
		c.ids = append(c.ids, strings.TrimSpace(scope+" "+t))
	}
	c.failed, c.target = nil, cargoTarget{}
}

// close takes over the tests of a binary that was started by hand, or whose end
// was cut off.
func (c *cargo) close() {
	c.ids = append(c.ids, c.failed...)
	if c.target.running {
		c.ids = append(c.ids, c.target.seen...)
	}
	c.failed, c.target = nil, cargoTarget{}
}

func (c *cargo) failing() []string {
	c.close()
	return c.ids
}

// cargoScope names a target: "-p one --test it" is one::it, and a library or its
// documentation goes by the name of its package alone.
func cargoScope(args string) string {
	var pkg, target string
	words := strings.Fields(args)
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "-p":
			pkg = next
		case "--test":
			target = next
		case "--bin", "--example", "--bench":
			target = strings.TrimPrefix(w, "--") + "/" + next
		}
	}
	if pkg != "" && target != "" {
		return pkg + "::" + target
	}
	return pkg + target
}
