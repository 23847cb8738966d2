package rule

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
)

// JUnitFailing are the ids of the test cases with a failure or an error in
// JUnit XML, alone or within other text, sorted, each once. Of a document that
// is cut or malformed it reads what comes before.
func JUnitFailing(data []byte) []string {
	ids := junit(data).failed
	slices.Sort(ids)
	return slices.Compact(ids)
}

// junitCases are the test cases by what they hold. One that is skipped can hold a
// failure, as it was expected to fail.
type junitCases struct{ passed, failed, skipped []string }

func junit(data []byte) junitCases {
	var all junitCases
	for {
		start := bytes.Index(data, []byte("<testsuite"))
		if start < 0 {
			return all
		}
		data = data[start:]
		read := all.document(data)
		data = data[max(read, 1):]
	}
}

// document reads one root element, and says where it ends.
func (c *junitCases) document(data []byte) (read int) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	depth := 0
	current, result := "", testPassed
	for {
		token, err := dec.Token()
		if err != nil {
			return junitResume(data, dec.InputOffset(), err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			switch t.Name.Local {
			case "testcase":
				current, result = junitID(t.Attr), testPassed
			case "failure", "error":
				if current != "" {
					c.failed = append(c.failed, current)
				}
				if result != testSkipped {
					result = testFailed
				}
			case "skipped":
				result = testSkipped
			}
		case xml.EndElement:
			depth--
			if t.Name.Local == "testcase" {
				c.end(current, result)
				current = ""
			}
			if depth == 0 {
				return int(dec.InputOffset())
			}
		}
	}
}

// junitResume is where to look for the next document after a fault: behind
// all of a document that was cut, else behind the fault.
func junitResume(data []byte, offset int64, err error) int {
	if errors.Is(err, io.EOF) {
		return len(data)
	}
	return min(int(offset), len(data))
}

func junitID(attrs []xml.Attr) string {
	var class, name string
	for _, a := range attrs {
		switch a.Name.Local {
		case "classname":
			class = a.Value
		case "name":
			name = a.Value
		}
	}
	if class == "" || name == "" {
		return class + name
	}
	return class + "." + name
}

func (c *junitCases) end(id string, r result) {
	switch {
	case id == "" || r == testFailed:
	case r == testSkipped:
		c.skipped = append(c.skipped, id)
	default:
		c.passed = append(c.passed, id)
	}
}

func (c *junitCases) tally() tally {
	t := tally{passed: c.passed, skipped: c.skipped, counted: len(c.passed)+len(c.failed)+len(c.skipped) > 0}
	skipped := slices.Sorted(slices.Values(c.skipped))
	for _, id := range c.failed {
		if !has(skipped, id) {
			t.failed = append(t.failed, id)
		}
	}
	t.total = counts{passed: len(t.passed), failed: t.failures(), skipped: len(t.skipped)}
	return t
}
