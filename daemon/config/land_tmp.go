package config

// LandInto are the branches that a person has agreed to have work merged into.
func (l Layers) LandInto() []string { return nil }
