package library

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// mark begins the head of each file in a content of several. No configuration
// begins so: YAML reserves the character.
const mark = "@ "

// ConfigName is the name of the configuration in a content.
const ConfigName = ".autopilot/config.yaml"

// Part is one file of a content, by its path in the work tree.
type Part struct {
	Name   string
	Source []byte
}

// Parts are the files that a person agrees to: the configuration, if there is
// one, and what could be read of the others.
func (p Project) Parts(config []byte) []Part {
	var out []Part
	if config != nil {
		out = append(out, Part{ConfigName, config})
	}
	for _, list := range []struct {
		name  string
		files []File
	}{{".autopilot/workflows/%s.yaml", p.Workflows}, {".autopilot/prompts/%s", p.Prompts}} {
		for _, f := range list.files {
			if f.Err == nil {
				out = append(out, Part{fmt.Sprintf(list.name, f.Name), f.Source})
			}
		}
	}
	return out
}

// Content is the text whose hash is trusted. Of a configuration alone it is that
// file, so what was agreed to before there were workflows stays so. With more,
// each file has a head with its name and size.
func Content(parts []Part) []byte {
	if len(parts) == 1 && parts[0].Name == ConfigName {
		return parts[0].Source
	}
	var b bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&b, "%s%d %s\n", mark, len(p.Source), strconv.Quote(p.Name))
		b.Write(p.Source)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Split takes a content apart again. One that is not what Content writes is a
// configuration alone.
func Split(content []byte) []Part {
	var out []Part
	rest := string(content)
	for rest != "" {
		head, after, _ := strings.Cut(rest, "\n")
		size, name, ok := headOf(head)
		if !ok || size >= len(after) || after[size] != '\n' {
			return []Part{{ConfigName, content}}
		}
		out = append(out, Part{name, []byte(after[:size])})
		rest = after[size+1:]
	}
	return out
}

func headOf(head string) (size int, name string, ok bool) {
	head, ok = strings.CutPrefix(head, mark)
	if !ok {
		return 0, "", false
	}
	digits, quoted, _ := strings.Cut(head, " ")
	size, err := strconv.Atoi(digits)
	if err != nil || size < 0 {
		return 0, "", false
	}
	name, err = strconv.Unquote(quoted)
	return size, name, err == nil
}
