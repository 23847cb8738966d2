package workflow

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"autopilot/daemon/strictyaml"
	"autopilot/events"
)

// Words is a text to people: one for each language, or one for all, which has no
// key.
type Words strictyaml.Map[string]

// DecodeYAML reads a text, or a mapping of languages.
func (w *Words) DecodeYAML(v strictyaml.Value) error {
	if v.Kind() == strictyaml.Text {
		*w = Words{{Value: v.Plain()}}
		return nil
	}
	return v.Decode((*strictyaml.Map[string])(w))
}

// In is the text in a language: without one in it that in English, else the first.
func (w Words) In(l events.Language) string {
	for _, want := range []string{string(l), "", string(English)} {
		for _, e := range w {
			if e.Key == want {
				return e.Value
			}
		}
	}
	if len(w) > 0 {
		return w[0].Value
	}
	return ""
}

// longestWords is more than anybody reads before an answer. There is no other
// limit: that of 12 characters for a heading was one of a dialog.
//
// Source: atdd-kit, seeds 3.7.
const longestWords = 1_000

func (p *problems) words(at string, w Words) {
	if w != nil && len(w) == 0 {
		p.add(at, "write it as TEXT, or as {en: TEXT, ja: TEXT}", "it has no text")
	}
	for _, e := range w {
		where := at
		if e.Key != "" {
			where = at + "." + e.Key
			one(p, where, Language(e.Key), English, Japanese)
		}
		switch n := utf8.RuneCountInString(e.Value); {
		case strings.TrimSpace(e.Value) == "":
			p.add(where, "write the text for people", "the text is blank")
		case n > longestWords:
			p.add(where, "shorten it", "the text has %d characters; the limit is %d", n, longestWords)
		case strings.ContainsFunc(strings.TrimRight(e.Value, "\n"), unicode.IsControl):
			p.add(where, "write it in one line", "the text has control characters, or several lines")
		}
	}
}

func wordsText() *jsonschema.Schema {
	text := func(help string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Pattern: `\S`, Description: help}
	}
	each := &jsonschema.Schema{
		Type: "object", AdditionalProperties: nothing(), PropertyOrder: []string{string(English), string(Japanese)},
		Properties: map[string]*jsonschema.Schema{string(English): text("In English."), string(Japanese): text("In Japanese.")}, MinProperties: jsonschema.Ptr(1),
	}
	return either(text(""), each)
}
