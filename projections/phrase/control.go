package phrase

import "autopilot/events"

// control says what a control found: whether the proof of the start is enough, and
// whether the files of the start still fail.
func control(l events.Language, r events.GateResult) string {
	switch r.Reason {
	case events.ReasonHeld:
		if r.Gate == "still-red" {
			return Say(l, "the failures of the start still occur on its files", "開始時に失敗したゲートは、開始時のファイルでは今も失敗する")
		}
		return Say(l, "the gates pass without the added files", "追加されたファイルがなくても成功する")
	case events.ReasonLeans:
		return Say(l, "the gates pass only with added files", "追加されたファイルがなければ成功しない")
	case events.ReasonElsewhere:
		return Say(l, "the gates pass on the files of the start too", "開始時のファイルでもゲートは成功する")
	case events.ReasonWanted:
		return Say(l, "new tests are what the task asked for", "新しいテストが求められていた")
	case events.ReasonNothingNew:
		return Say(l, "no test or runner file was added", "テストやランナーのファイルは追加されていない")
	case events.ReasonNotTried:
		return Say(l, "not tried, so nothing is proven", "未実行のため何も証明しない")
	case events.ReasonOutsideChanged:
		return Say(l, "installed packages are not those of the start", "インストール済みのパッケージが開始時と異なる")
	case events.ReasonRenewed:
		return Say(l, "installed packages were replaced", "インストール済みのパッケージが更新された")
	case events.ReasonUnsure:
		return Say(l, "the added files are not proven", "これらの内容は証明されていない")
	default:
	}
	return string(r.Reason)
}
