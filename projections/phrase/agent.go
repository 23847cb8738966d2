package phrase

import "autopilot/events"

// Result says what the end of an agent means.
func Result(l events.Language, r events.Result) string {
	switch r {
	case events.ResultEnded:
		return Say(l, "ended by itself", "自ら終了")
	case events.ResultEmpty:
		return Say(l, "it printed nothing", "何も出力しなかった")
	case events.ResultTruncated:
		return Say(l, "its output broke off", "出力が途中で切れた")
	case events.ResultIdleTimeout:
		return Say(l, "it hung: no sign of life for too long", "ハング(長時間の無応答)")
	case events.ResultWallTimeout:
		return Say(l, "out of time", "時間切れ")
	case events.ResultRateLimited:
		return Say(l, "the provider's limit is reached", "プロバイダーの利用上限に到達")
	case events.ResultOverloaded:
		return Say(l, "the provider is overloaded", "プロバイダーが過負荷")
	case events.ResultUnreachable:
		return Say(l, "the provider cannot be reached", "プロバイダーに接続できない")
	case events.ResultAuthFailed:
		return Say(l, "its login is not accepted", "ログインが受け付けられない")
	case events.ResultBilling:
		return Say(l, "the account needs a payment", "アカウントの支払いが必要")
	case events.ResultContextOverflow:
		return Say(l, "its context is full", "コンテキストが満杯")
	case events.ResultMaxTurns:
		return Say(l, "its turn limit is reached", "ターン数の上限に到達")
	case events.ResultBudget:
		return Say(l, "its usage limit is reached", "使用量の上限に到達")
	case events.ResultNeedsPermission:
		return Say(l, "it may not use the tools that it needs", "必要なツールの使用が許可されていない")
	case events.ResultNeedsHuman:
		return Say(l, "it waits for a person", "人の対応待ち")
	case events.ResultAgentError:
		return Say(l, "it failed", "失敗")
	case events.ResultSpawnFailed:
		return Say(l, "it could not be started", "起動できなかった")
	case events.ResultOutOfMemory:
		return Say(l, "out of memory", "メモリ不足")
	case events.ResultKilledExternal:
		return Say(l, "killed by a signal", "シグナルで強制終了")
	case events.ResultStopped:
		return Say(l, "stopped", "停止済み")
	case events.ResultInterrupted:
		return Say(l, "lost", "消失")
	}
	return string(r)
}

// Limit says why a run waits.
func Limit(l events.Language, of events.Limit) string {
	switch of {
	case events.LimitRate, "":
		return Say(l, "the provider's limit is reached", "プロバイダーの利用上限に到達")
	case events.LimitOverload:
		return Say(l, "the provider is overloaded", "プロバイダーが過負荷")
	case events.LimitNetwork:
		return Say(l, "the provider cannot be reached", "プロバイダーに接続できない")
	case events.LimitSlots:
		return Say(l, "the account allows fewer agents at once for now", "アカウントの同時実行数が今は制限されている")
	case events.LimitResources:
		return Say(l, "the machine has no resources for more agents now", "マシンに今これ以上のエージェントを動かす余裕がない")
	case events.LimitDayCost, events.LimitDayTokens, events.LimitDayTurns, events.LimitDayHours:
		return Say(l, "the daily limit is reached", "1日の使用上限に到達")
	}
	return string(of)
}

// ShortLimit is the same in a few words.
func ShortLimit(l events.Language, of events.Limit) string {
	switch of {
	case events.LimitRate:
		return Say(l, "provider's limit", "プロバイダーの上限")
	case events.LimitOverload:
		return Say(l, "provider overloaded", "プロバイダー過負荷")
	case events.LimitNetwork:
		return Say(l, "provider unreachable", "プロバイダー接続不可")
	case events.LimitSlots:
		return Say(l, "slot of the account", "アカウントの空き")
	case events.LimitResources:
		return Say(l, "resources", "リソース")
	case events.LimitDayCost, events.LimitDayTokens, events.LimitDayTurns, events.LimitDayHours:
		return Say(l, "limit of the day", "1日の上限")
	}
	return string(of)
}
