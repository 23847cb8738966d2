// Package project finds out what a work tree is made of and how its tests are
// run, by looking at the files that its tools read: go.mod, package.json,
// Cargo.toml, pyproject.toml, pom.xml, Makefile, CI files and their kin.
//
// It is a pure function of a file system: it runs nothing, writes nothing and
// reads a bounded part of a bounded number of regular files. Whether a link may
// lead out is decided by the file system that it is given; that of os.Root
// refuses it.
//
// What it proposes is a guess for a person to look at, with the file that each
// guess comes from. It never fails on what a file says: one that cannot be read
// as what it should be is a fact like any other.
package project
