package phrase

import (
	"fmt"

	"autopilot/events"
)

// Say makes a sentence in a language. Both stand side by side, so that none can
// be forgotten; en is said where the language is not known. Where the order of
// words differs, ja names its arguments by their index: %[2]s.
func Say(l events.Language, en, ja string, args ...any) string {
	if l == events.Japanese {
		return fmt.Sprintf(ja, args...)
	}
	return fmt.Sprintf(en, args...)
}
