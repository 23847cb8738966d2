// Package judge says how much a machine can bear, from readings of it alone.
//
// It is pure: a reading and a policy in, a verdict, a cap and the signals out. It
// never measures, never looks at a clock, and takes what is unknown for unknown:
// an axis without a value gives no signal and is named, it is never taken for
// zero (seeds 2.2.2, S10 to S15, Q19).
//
// Two policies are published: Signals, the default, needs two soft signals or a
// hard one; Tiers is the older table, in which the worst single value decides.
package judge
