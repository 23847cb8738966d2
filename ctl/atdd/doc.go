// Package atdd does on files what projections/atdd does on bytes: it is what the
// functions of atdd-kit's convergence library do, one call each. It needs no
// daemon. A file that is no regular file is refused, and one that cannot be read
// is never taken for an empty one.
//
// Source: atdd-kit, seeds 3.5.
package atdd
