package katalog

import "strings"

// nearest returns the name that a misspelt one most likely means, or "".
func nearest(name string, names []string) string {
	best, least := "", 3
	if len(name) < 5 {
		least = 2
	}
	for _, candidate := range names {
		if strings.EqualFold(candidate, name) {
			return candidate
		}
		if distance := editDistance(name, candidate); distance < least {
			best, least = candidate, distance
		}
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b. It gives up,
// with a large number, when the lengths alone differ by more than two.
func editDistance(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return len(a) + len(b)
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, before[j]+1, before[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
