// Package events is the vocabulary of autopilot: what can be said to have
// happened, and how one such fact is written down.
//
// It owns the envelope (a CloudEvents 1.0 JSON object), the versioned data
// types, the upcaster seam and the hash chain. It does no I/O, reads no clock
// and draws no random number: ids and times are given to it.
//
// Promises:
//   - Encode and Decode are inverse for every type registered here.
//   - A type that is released is never changed. A change is a new version and
//     an upcaster; each released version has a frozen sample in testdata.
//   - Unknown types, and unknown members of the envelope, survive a round trip
//     untouched. Unknown members of known data are skipped: a type that gains a
//     member is a new version, and whoever moves events moves their bytes.
//   - Data holds only enums, numbers, ids, hashes and names. All free text,
//     every path and every list without a bound is a blob named by its hash.
package events
