package phrase

import (
	"strings"

	"autopilot/events"
)

// Hidden says what keeps an exit code of a gate from being seen; what is a word of
// rule.Hidden.
func Hidden(l events.Language, what string) string {
	word, rest, _ := strings.Cut(what, " ")
	switch {
	case what == "a pipe":
		return Say(l, "only the last part of a pipe decides", "パイプは最後の部分だけが結果になる")
	case what == "a loop":
		return Say(l, "only the last round of a loop decides", "ループは最後の回だけが結果になる")
	case word == "||":
		return Say(l, "%s turns a failure into a pass", "%s が失敗を成功に変える", strings.TrimSpace("|| "+rest))
	case word == ";":
		return Say(l, "only the command after ; decides", "; の後のコマンドだけが結果になる")
	case what == "&":
		return Say(l, "the exit code of a background command (&) is lost", "バックグラウンド(&)のコマンドの結果は見られない")
	case what == "if":
		return Say(l, "the failure of a condition (if) does not count", "条件(if)の失敗が失敗にならない")
	case what == "!":
		return Say(l, "! turns a failure into a pass", "! が失敗を成功に変える")
	case what == "-":
		return Say(l, "make ignores the failure of a line that begins with -", "make は - で始まる行の失敗を無視する")
	case what == "trap":
		return Say(l, "its trap exits 0", "trap が 0 で終了する")
	}
	return Say(l, "%s ignores failures", "%s は失敗を無視する", what)
}
