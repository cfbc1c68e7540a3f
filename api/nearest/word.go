package nearest

import "strings"

// maxLength keeps the comparison of hostile words cheap: no known word is as long.
const maxLength = 64

// Word returns the known word with the fewest edits from word, ignoring case; the alphabetically first of several.
// It returns "" when that takes more edits than a third of the word's bytes; one edit is always allowed.
func Word(word string, known []string) string {
	if word == "" || len(word) > maxLength {
		return ""
	}
	best, fewest := "", max(1, len(word)/3)+1
	for _, candidate := range known {
		n := distance(strings.ToLower(word), strings.ToLower(candidate))
		if n < fewest || n == fewest && best != "" && candidate < best {
			best, fewest = candidate, n
		}
	}
	return best
}

// distance counts the bytes to insert, delete, replace or swap with their neighbour to make b of a.
func distance(a, b string) int {
	older, before, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, before, row = before, row, older
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := before[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, row[j-1]+1, before[j]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
