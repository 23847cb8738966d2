package price

import (
	"strings"
)

// maxModel bounds the id of a model that is looked up, in bytes.
const maxModel = 256

// ids are the names that a model may have in the table: what the program said,
// without the way to it (provider/model, region.provider.model), and then
// without the parts that say when or how it was published.
func ids(model string) []string {
	id := strings.ToLower(strings.TrimSpace(model))
	if id == "" || len(id) > maxModel {
		return nil
	}
	out := []string{id}
	if i := strings.LastIndexByte(id, '/'); i >= 0 {
		id = id[i+1:]
		out = append(out, id)
	}
	if _, after, ok := strings.Cut(id, "anthropic."); ok {
		id = after
		out = append(out, id)
	}
	for {
		short := undated(id)
		if short == id || short == "" {
			return out
		}
		id = short
		out = append(out, id)
	}
}

// undated takes off one part that says when or how a model was published:
// -20250929, @20250929, -2025-08-07, -05-06, -001, -latest, -preview, -v1:0.
func undated(id string) string {
	for _, word := range []string{"-latest", "-preview", "-v1:0", "-v2:0"} {
		if short, ok := strings.CutSuffix(id, word); ok {
			return short
		}
	}
	for _, form := range []string{"-dddddddd", "@dddddddd", "-dddd-dd-dd", "-preview-dd-dddd", "-preview-dd-dd", "-ddd"} {
		if n := len(id) - len(form); n > 0 && fits(id[n:], form) {
			return id[:n]
		}
	}
	return id
}

// fits compares with a form, in which d is a digit.
func fits(text, form string) bool {
	for i := range len(form) {
		digit := text[i] >= '0' && text[i] <= '9'
		if form[i] == 'd' && !digit || form[i] != 'd' && text[i] != form[i] {
			return false
		}
	}
	return true
}
