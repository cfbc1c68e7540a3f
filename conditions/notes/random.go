package notes

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

// randomFamily draws from the source of the evaluation, which does not fail.
func randomFamily() []Function {
	return []Function{
		{
			Name: "randomAlphanumeric", Signature: "n", Result: "text", Random: true, Code: randomAlphanumeric, Doc: "`n` letters and digits",
			Examples: []Example{{"{{ randomAlphanumeric 12 }}", "b3Zq0RtLw8Xd"}},
		},
		{
			Name: "randomHex", Signature: "bytes", Result: "text", Random: true, Doc: "so many bytes, as two hexadecimal digits each",
			Code:     encoded("randomHex", hex.EncodedLen, hex.EncodeToString),
			Examples: []Example{{"{{ randomHex 6 }}", "9c01f4be77a2"}},
		},
		{
			Name: "randomBase64", Signature: "bytes", Result: "text", Random: true, Doc: "so many bytes, in base64 with the alphabet for URLs and without padding",
			Code:     encoded("randomBase64", base64.RawURLEncoding.EncodedLen, base64.RawURLEncoding.EncodeToString),
			Examples: []Example{{"{{ randomBase64 9 }}", "kX2_v0aQ-mZt"}},
		},
		{
			Name: "uuidv4", Signature: "", Result: "text", Random: true, Code: uuidv4, Doc: "a random UUID",
			Examples: []Example{{"{{ uuidv4 }}", "0d8a3f5e-7c41-4b0a-9e57-2f6c1d90b8e4"}},
		},
	}
}

func randomAlphanumeric(e Evaluation, n any) (string, error) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	size, err := randomSize("randomAlphanumeric", n, func(n int) int { return n })
	if err != nil {
		return "", err
	}
	text := make([]byte, 0, size)
	for draw := make([]byte, size+size/8+8); len(text) < size; {
		e.Random(draw)
		for _, b := range draw {
			// The bytes above the last whole multiple of the alphabet would favour its first letters.
			if int(b) < 256/len(alphabet)*len(alphabet) && len(text) < size {
				text = append(text, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(text), nil
}

func encoded(name string, length func(int) int, encode func([]byte) string) func(e Evaluation, n any) (string, error) {
	return func(e Evaluation, n any) (string, error) {
		size, err := randomSize(name, n, length)
		if err != nil {
			return "", err
		}
		raw := make([]byte, size)
		e.Random(raw)
		return encode(raw), nil
	}
}

func randomSize(name string, n any, length func(int) int) (int, error) {
	size, err := wholeFrom0(name, n)
	if err != nil {
		return 0, err
	}
	return int(size), checkLength(name, length(int(min(size, MaxText+1))))
}

func uuidv4(e Evaluation) string {
	var id [16]byte
	e.Random(id[:])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
