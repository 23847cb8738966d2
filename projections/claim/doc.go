// Package claim folds the events of a claim and has the rules of who may take,
// renew, give back or force one. It is pure: time, and what is known of the
// holder's process, are arguments.
//
// Promises:
//   - A claim has one owner at a time, and each owner a greater fence than all
//     before.
//   - It is never taken from a live holder. One whose process goes on after its
//     time is over loses it to a person only.
//   - An owner that cannot be proven is none.
package claim
