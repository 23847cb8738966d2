// Command nothing does nothing: what any program costs.
package main

func main() {}
