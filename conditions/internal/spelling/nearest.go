package spelling

import "strings"

// maxLength keeps the comparison of hostile words cheap: no known word is as long.
const maxLength = 64

// Nearest returns the known word with the fewest edits from word, ignoring case; the alphabetically first of several.
// It returns "" when that takes more edits than a third of the word's bytes; one edit is always allowed.
func Nearest(word string, known []string) string {
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

// distance counts the bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
