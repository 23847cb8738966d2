package strictyaml

// Nearest is the candidate that differs least from word, or "" when none is
// near enough to be a likely slip. Of equals the first one wins.
func Nearest(word string, candidates []string) string {
	best, found := max(1, min(len(word)/2, 3))+1, ""
	for _, c := range candidates {
		if d := distance(word, c); d < best {
			best, found = d, c
		}
	}
	return found
}

// distance counts the single-character edits between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
