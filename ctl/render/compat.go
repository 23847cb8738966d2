package render

// Rail is why a function of another system's library did not say: go on.
func Rail(function string, err error) string { return Line(function+": "+err.Error()) + "\n" }
