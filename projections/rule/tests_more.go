package rule

func (j *jest) tally() tally     { return tally{failed: j.failing()} }
func (v *vitest) tally() tally   { return tally{failed: v.failing()} }
func (c *cargo) tally() tally    { return tally{failed: c.failing()} }
func (s *surefire) tally() tally { return tally{failed: s.failing()} }
func (g *gradle) tally() tally   { return tally{failed: g.failing()} }
