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
	var ids []string
	for {
		start := bytes.Index(data, []byte("<testsuite"))
		if start < 0 {
			slices.Sort(ids)
			return slices.Compact(ids)
		}
		data = data[start:]
		found, read := junitDocument(data)
		ids = append(ids, found...)
		data = data[max(read, 1):]
	}
}

// junitDocument reads one root element, and says where it ends.
func junitDocument(data []byte) (ids []string, read int) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	depth := 0
	current := ""
	for {
		token, err := dec.Token()
		if err != nil {
			return ids, junitResume(data, dec.InputOffset(), err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			switch t.Name.Local {
			case "testcase":
				current = junitID(t.Attr)
			case "failure", "error":
				if current != "" {
					ids = append(ids, current)
				}
			}
		case xml.EndElement:
			depth--
			if t.Name.Local == "testcase" {
				current = ""
			}
			if depth == 0 {
				return ids, int(dec.InputOffset())
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
