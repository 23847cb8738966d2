package ultragoal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// Bounds of a plan that is made of a brief.
const (
	mostImplicit = 20   // stories of a brief that has no section of stories
	mostLine     = 1200 // bytes of an item
	mostTitle    = 72
	mostSlug     = 36
	mostGoals    = 999
)

// Wanted is a story as it is asked for.
type Wanted struct{ Title, Objective string }

// ParseWanted reads TITLE::OBJECTIVE; without :: it is the objective alone.
func ParseWanted(arg string) Wanted {
	title, objective, ok := strings.Cut(arg, "::")
	if !ok {
		return Wanted{Objective: strings.TrimSpace(arg)}
	}
	return Wanted{Title: strings.TrimSpace(title), Objective: strings.TrimSpace(objective)}
}

// ParseMode is the mode of an option; empty is one goal of the host for all.
func ParseMode(arg string) (string, error) {
	switch arg {
	case "", Aggregate:
		return Aggregate, nil
	case PerStory, "per-story":
		return PerStory, nil
	}
	return "", fmt.Errorf("--codex-goal-mode %q is none; give aggregate or per-story", arg)
}

// aggregateObjective is the goal of the host for all stories of a new plan. What
// snapshots are compared with is what the plan has.
const aggregateObjective = "Complete every story of the plan in " + GoalsPath + ", with those that are added later, within its brief; " + LedgerPath + " is its record."

// Change is what a rule wants written: the plan, unless it stays as it is, and rows.
type Change struct {
	Plan Plan
	Rows []Row
	Same bool // the plan was not changed
}

// Create is a new plan of a brief, with the stories that are given, else those that the
// brief has.
func Create(brief string, wanted []Wanted, mode, now string) (Change, error) {
	if blank(brief) {
		return Change{}, errors.New("the brief is empty; give --brief, --brief-file, --from-stdin or text")
	}
	if len(wanted) == 0 {
		found, err := storiesOf(brief)
		if err != nil {
			return Change{}, err
		}
		wanted = found
	}
	if len(wanted) > mostGoals {
		return Change{}, fmt.Errorf("%d stories are too many; the limit is %d", len(wanted), mostGoals)
	}
	p := Plan{Version: 1, CreatedAt: now, UpdatedAt: now, BriefPath: BriefPath, GoalsPath: GoalsPath, LedgerPath: LedgerPath, Mode: mode}
	if mode == Aggregate {
		p.Objective = aggregateObjective
	}
	var ids []string
	for i, w := range wanted {
		if blank(w.Objective) {
			return Change{}, fmt.Errorf("story %d has no objective", i+1)
		}
		g := p.add(w, now)
		ids = append(ids, g.ID)
	}
	return Change{Plan: p, Rows: []Row{{TS: now, Event: PlanCreated, Message: fmt.Sprintf("%d goal(s) created", len(ids)), GoalIDs: ids}}}, nil
}

// add puts a story at the end.
func (p *Plan) add(w Wanted, now string) *Goal {
	title, n := strings.TrimSpace(w.Title), len(p.Goals)+1
	if title == "" {
		title = titleOf(w.Objective)
	}
	p.Goals = append(p.Goals, Goal{
		ID: idOf(title, n), Title: title, Objective: strings.TrimSpace(w.Objective), Status: Pending, CreatedAt: now, UpdatedAt: now,
	})
	p.UpdatedAt = now
	return &p.Goals[len(p.Goals)-1]
}

var notSlug = regex.New(`[^a-z0-9]+`)

// idOf is G and the number of a story, with words of its title.
func idOf(title string, n int) string {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(title), "-"), "-")
	if len(slug) > mostSlug {
		slug = strings.TrimRight(slug[:mostSlug], "-")
	}
	if slug != "" {
		slug = "-" + slug
	}
	return fmt.Sprintf("G%03d%s", n, slug)
}

// titleOf is the first line of an objective, cut.
func titleOf(objective string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(objective), "\n")
	runes := []rune(strings.TrimSpace(first))
	if len(runes) > mostTitle {
		return strings.TrimRight(string(runes[:mostTitle-3]), " ") + "..."
	}
	return string(runes)
}

var (
	heading  = regex.New(`^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$`)
	listItem = regex.New(`^(\s*)(?:[-*+]|\d+[.)])\s+(.+?)\s*$`)
	stories  = regex.New(`(?i)\b(?:stories|story|goals?|ultragoals?)\b`)
	noStory  = regex.New(`(?i)\b(?:non-?goals?|constraints?|invariants?|context|background|notes?|risks?|references?|out of scope|review|evidence|verification|acceptance|criteria)\b`)
)

// item is an entry of a list of the brief.
type item struct {
	indent  int
	text    string
	section string
	line    int
}

// storiesOf are the stories of a brief: the items of its section of stories, else its
// outermost items, else its paragraphs.
func storiesOf(brief string) ([]Wanted, error) {
	lines := strings.Split(strings.ReplaceAll(brief, "\r\n", "\n"), "\n")
	items := itemsOf(lines)
	kept := slices.DeleteFunc(slices.Clone(items), func(i item) bool { return noStory.MatchString(i.section) })
	explicit := slices.DeleteFunc(slices.Clone(kept), func(i item) bool { return !stories.MatchString(i.section) })
	if len(explicit) > 0 {
		kept = explicit
	}
	least := 0
	for n, i := range kept {
		if n == 0 || i.indent < least {
			least = i.indent
		}
	}
	kept = slices.DeleteFunc(kept, func(i item) bool { return i.indent > least })
	if len(explicit) == 0 && len(kept) > mostImplicit {
		return nil, fmt.Errorf("the brief has %d items and no section of stories; the limit is %d: give --goal TITLE::OBJECTIVE for each, or write a section \"Stories\"", len(kept), mostImplicit)
	}
	var out []Wanted
	for n, i := range kept {
		end := len(lines)
		if n+1 < len(kept) {
			end = kept[n+1].line
		}
		out = addWanted(out, i.text+nested(lines[i.line+1:end], i.indent))
	}
	if len(out) > 0 {
		return out, nil
	}
	if len(items) > 0 { // items of other sections only
		return []Wanted{{titleOf(brief), strings.TrimSpace(brief)}}, nil
	}
	for paragraph := range strings.SplitSeq(strings.Join(lines, "\n"), "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" && !strings.HasPrefix(paragraph, "#") {
			out = addWanted(out, paragraph)
		}
	}
	switch {
	case len(out) == 0:
		return []Wanted{{titleOf(brief), strings.TrimSpace(brief)}}, nil
	case len(out) > mostImplicit:
		return nil, fmt.Errorf("the brief has %d paragraphs; the limit is %d: give --goal TITLE::OBJECTIVE for each", len(out), mostImplicit)
	}
	return out, nil
}

func addWanted(out []Wanted, objective string) []Wanted {
	if slices.ContainsFunc(out, func(w Wanted) bool { return w.Objective == objective }) {
		return out
	}
	return append(out, Wanted{titleOf(objective), objective})
}

func itemsOf(lines []string) (items []item) {
	section := ""
	for n, line := range lines {
		if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1]
			continue
		}
		if m := listItem.FindStringSubmatch(line); m != nil && len(m[2]) <= mostLine {
			items = append(items, item{len(strings.ReplaceAll(m[1], "\t", "  ")), m[2], section, n})
		}
	}
	return items
}

// nested are the lines below an item that stand deeper, as a part of it.
func nested(lines []string, indent int) string {
	var b strings.Builder
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		deep := len(strings.ReplaceAll(line[:len(line)-len(text)], "\t", "  "))
		switch m := listItem.FindStringSubmatch(line); {
		case text == "":
		case deep <= indent:
			return b.String()
		case m != nil:
			b.WriteString("\n" + m[2])
		default:
			b.WriteString("\n" + strings.TrimSpace(text))
		}
	}
	return b.String()
}
