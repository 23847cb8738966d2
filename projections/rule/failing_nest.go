package rule

// nest gathers failures that are told by indentation: the subtests of a test
// stand before it, further to the right.
type nest struct{ levels []level }

type level struct {
	indent int
	fails  []string
}

// end takes the result of a test at that indentation. What stands to the right
// of it since the test before are its subtests: if one of those failed, the
// test itself is not counted. A test that passed, or was not meant to, takes
// those with it.
func (n *nest) end(indent int, name string, failed bool) {
	var below []string
	for len(n.levels) > 0 && n.levels[len(n.levels)-1].indent > indent {
		last := n.levels[len(n.levels)-1]
		below = append(below, last.fails...)
		n.levels = n.levels[:len(n.levels)-1]
	}
	if !failed {
		return
	}
	if len(n.levels) == 0 || n.levels[len(n.levels)-1].indent < indent {
		n.levels = append(n.levels, level{indent: indent})
	}
	top := &n.levels[len(n.levels)-1]
	if len(below) == 0 {
		top.fails = append(top.fails, name)
		return
	}
	for _, b := range below {
		top.fails = append(top.fails, joinBounded(name, b))
	}
}

// joinBounded puts a name before an id that is not yet too long: nesting costs no
// more than its depth.
func joinBounded(name, id string) string {
	if len(id) > maxIDBytes {
		return id
	}
	return name + " > " + id
}

// fails are all failures, those too whose test has not ended.
func (n *nest) fails() []string {
	var all []string
	for _, l := range n.levels {
		all = append(all, l.fails...)
	}
	return all
}

// hasBelow says whether a subtest of the test at that indentation has failed.
func (n *nest) hasBelow(indent int) bool {
	return len(n.levels) > 0 && n.levels[len(n.levels)-1].indent > indent
}
