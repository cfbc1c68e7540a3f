package notes

import (
	"encoding/base64"
	"fmt"
)

func dataFamily() map[string]any {
	return map[string]any{
		"toBase64":   toBase64,
		"fromBase64": fromBase64,
	}
}

func toBase64(s any) (string, error) {
	text := Text(s)
	if err := checkLength("toBase64", base64.StdEncoding.EncodedLen(len(text))); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString([]byte(text)), nil
}

func fromBase64(s any) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(Text(s))
	if err != nil {
		// The text may be a secret: the error says where it is wrong, not what it is.
		return "", fmt.Errorf("fromBase64: %w", err)
	}
	return string(raw), nil
}
