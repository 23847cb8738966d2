package wire

// UsageShow asks what agents used.
var UsageShow = Verb{Name: "usage.show", Class: Read}
