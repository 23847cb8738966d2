package rule

import (
	"slices"
	"strings"

	"autopilot/projections/regex"
)

var (
	justRecipe = regex.New(`^@?([A-Za-z_][\w-]*)((?:\s+[^:]*)?):([^=].*|)$`)
	justAssign = regex.New(`^(export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$`)
	justAlias  = regex.New(`^alias\s+([\w-]+)\s*:=\s*(\S+)`)
	justWord   = regex.New(`[A-Za-z_][\w-]*`)
	justInside = regex.New(`\{\{([^}]*)\}\}`)
)

// parseJust reads a justfile: recipes, variables, aliases and settings.
func parseJust(data []byte) parsedPart {
	var p parsedPart
	attributes := ""
	inRecipe := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" || bare[0] == '#' && !inRecipe:
			continue
		case inRecipe && line[0] != bare[0]: // indented
			it := &p.items[len(p.items)-1]
			it.text += "\n" + bare
			it.uses = append(it.uses, justUses(bare)...)
			continue
		case bare[0] == '#':
			continue
		}
		inRecipe = false
		switch {
		case bare[0] == '[':
			attributes += bare
			continue
		case justAlias.MatchString(bare):
			m := justAlias.FindStringSubmatch(bare)
			p.items = append(p.items, item{text: bare, names: m[1:2], needs: m[2:3]})
		case justAssign.MatchString(bare):
			m := justAssign.FindStringSubmatch(bare)
			p.items = append(p.items, item{text: bare, vars: m[2:3], uses: justWord.FindAllString(m[3], -1), always: m[1] != ""})
		case justRecipe.MatchString(bare):
			m := justRecipe.FindStringSubmatch(bare)
			needs, _ := strings.CutSuffix(m[3], "&&")
			p.items = append(p.items, item{text: attributes + bare, names: m[1:2], needs: justWord.FindAllString(needs, -1), uses: justWord.FindAllString(m[2]+needs, -1)})
			if p.first == "" || m[1] == "default" {
				p.first = m[1]
			}
			inRecipe = true
		default: // set, import, mod
			p.items = append(p.items, item{text: bare, always: true})
		}
		attributes = ""
	}
	return p
}

func justUses(line string) []string {
	var out []string
	for _, m := range justInside.FindAllStringSubmatch(line, -1) {
		out = append(out, justWord.FindAllString(m[1], -1)...)
	}
	return out
}

var (
	rakeTask = regex.New(`^\s*(?:multitask|task|file|directory|namespace|rule)\s*\(?\s*[:'"]?([\w.:/-]+)`)
	rakeWord = regex.New(`[A-Za-z_][\w:]*`)
)

// parseRake divides a Rakefile into what begins at the margin. Tasks can be left
// out of what is compared; all else steers.
func parseRake(data []byte) parsedPart {
	var p parsedPart
	for _, block := range blocks(string(data)) {
		it := item{text: block, always: true}
		head := block
		if strings.HasPrefix(head, "desc ") {
			_, head, _ = strings.Cut(head, "\n")
		}
		if m := rakeTask.FindStringSubmatch(head); m != nil {
			it.always = false
			it.names = []string{strings.TrimRight(m[1], ":")}
			if strings.HasPrefix(head, "namespace") {
				it.names = append(it.names, it.names[0]+":%")
			}
			it.needs = rakeWord.FindAllString(block, -1)
		}
		p.items = append(p.items, it)
	}
	p.first = "default"
	return p
}

// blocks are the parts of a text that begin at the margin, without comments; a
// line that only closes one belongs to it, and so does what a desc describes.
func blocks(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		closes := line[0] == ' ' || line[0] == '\t' || line == "end" || strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")") || strings.HasPrefix(line, "]")
		described := len(out) > 0 && strings.HasPrefix(out[len(out)-1], "desc ") && !strings.Contains(out[len(out)-1], "\n")
		if len(out) > 0 && (closes || described) {
			out[len(out)-1] += "\n" + line
			continue
		}
		out = append(out, line)
	}
	return slices.Clip(out)
}
