package render

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"autopilot/events/wire"
)

// Config shows every setting with its origin; with help what each is for.
func (s Style) Config(v wire.ConfigView, help bool) string {
	head := []string{"KEY", "VALUE", "ORIGIN", "WHERE"}
	if help {
		head = append(head, "FOR")
	}
	rows := [][]string{head}
	for _, c := range v.Values {
		row := []string{Line(c.Key), Line(c.Value), Line(c.Origin), Line(s.where(v, c.Where))}
		if help {
			row = append(row, Line(c.Help))
		}
		rows = append(rows, row)
	}
	s.fit(rows, 1)
	return table(rows) + s.unusedConfig(v) + s.configProblems(v.Problems)
}

// fit cuts the widest column so that rows go into the width.
func (s Style) fit(rows [][]string, column int) {
	if s.Width <= 0 {
		return
	}
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(c))
		}
	}
	left := s.Width
	for i, w := range widths {
		if left -= 2; i != column {
			left -= w
		}
	}
	for _, r := range rows {
		r[column] = s.cut(r[column], max(left, 16))
	}
}

// where shortens the path of a project's file to what is below its work tree.
func (s Style) where(v wire.ConfigView, where string) string {
	if rel, ok := strings.CutPrefix(where, v.Root+"/"); ok && v.Root != "" {
		return rel
	}
	return where
}

// unusedConfig says that the project's file has no effect.
func (s Style) unusedConfig(v wire.ConfigView) string {
	if v.Project == "" || v.Trusted || len(v.Problems) > 0 {
		return ""
	}
	return "\n" + s.paint(yellow, "not trusted:") + " a run does not use the project's file as it is\n  apctl trust\n"
}

// configProblems shows mistakes with the lines where they are.
func (s Style) configProblems(list []wire.ConfigProblem) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString("\n" + s.paint(red, problemPlace(p)+":") + " " + Line(p.Message) + "\n")
		if p.Excerpt != "" {
			b.WriteString(indent("  ", Clean(p.Excerpt)))
		}
		if p.Fix != "" {
			b.WriteString("  " + Line(p.Fix) + "\n")
		}
	}
	return b.String()
}

func problemPlace(p wire.ConfigProblem) string {
	place := Line(p.File)
	if p.Line > 0 {
		place += ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	}
	return place
}

// ConfigCheck says whether the files are well.
func (s Style) ConfigCheck(v wire.ConfigView) string {
	if len(v.Problems) > 0 {
		return strings.TrimPrefix(s.configProblems(v.Problems), "\n") + "\n" + count(len(v.Problems), "problem") + "\n"
	}
	var files []string
	for _, f := range []string{v.Project, v.User} {
		if f != "" {
			files = append(files, Line(f))
		}
	}
	if len(files) == 0 {
		return "there is no file: every setting has its default\n  apctl init   writes one for this project\n"
	}
	return "nothing is wrong with " + strings.Join(files, " and ") + "\n" + s.HiddenExits(v.Hidden) + s.unusedConfig(v)
}

// ConfigSet shows what a setting is now.
func (s Style) ConfigSet(v wire.ConfigView, req wire.ConfigSetRequest) string {
	var rows [][]string
	for _, c := range v.Values {
		if c.Key == req.Key || strings.HasPrefix(req.Key, c.Key+".") || strings.HasPrefix(c.Key, req.Key+".") {
			rows = append(rows, []string{Line(c.Key), Line(c.Value), Line(c.Origin), Line(s.where(v, c.Where))})
		}
	}
	return table(rows)
}

// ConfigWas says which file was changed, and what has to follow.
func (s Style) ConfigWas(v wire.ConfigView, req wire.ConfigSetRequest) string {
	file := v.Written
	if file == "" {
		return "there is no file, so nothing was to be changed\n"
	}
	text := "written: " + Line(file) + "\n"
	if file == v.Project && !v.Trusted {
		text += "  apctl trust   a person has to agree to it before a run uses it\n"
	}
	if slices.ContainsFunc(v.Values, func(c wire.ConfigValue) bool { return c.Key == req.Key && c.Restart }) {
		text += "  apctl daemon restart   it counts from the daemon's next start\n"
	}
	if file == v.Project {
		text += s.HiddenExits(slices.DeleteFunc(slices.Clone(v.Hidden), func(h wire.HiddenExit) bool { return !strings.HasSuffix(req.Key, "gates."+string(h.Gate)) }))
	}
	return text
}

// origins shows what was not typed, and where it comes from; a file of the
// workspace by its path below it.
func (s Style) origins(workspace string, values []wire.ConfigValue) string {
	rows := make([][]string, 0, len(values))
	for _, c := range values {
		where := c.Where
		if below, ok := strings.CutPrefix(where, workspace+"/"); ok && workspace != "" {
			where = below
		}
		rows = append(rows, []string{Line(c.Key), Line(c.Value), Line(c.Origin), Line(where)})
	}
	s.fit(rows, 1)
	return table(rows)
}

// ConfigPath shows where the files are.
func (s Style) ConfigPath(v wire.ConfigView) string {
	path := func(path string, there bool) string {
		if path != "" && !there {
			return Line(path) + "  (not there)"
		}
		return Line(path)
	}
	project := ""
	if v.Root != "" {
		project = filepath.Join(v.Root, ".autopilot", "config.yaml")
	}
	return s.facts([][2]string{{"project", path(project, v.Project != "")}, {"user", path(v.UserPath, v.User != "")}})
}

// SetArguments is a config set without what it needs.
func SetArguments(unset bool) *wire.Error {
	if unset {
		return usage("apctl config set --unset KEY", "one KEY is to be given")
	}
	return usage("apctl config set KEY VALUE", "a KEY and a VALUE are to be given")
}
