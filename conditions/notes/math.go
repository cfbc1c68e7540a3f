package notes

func mathFamily() map[string]any {
	return map[string]any{
		"min": func(a, b any) (any, error) { return pick("min", a, b, -1) },
		"max": func(a, b any) (any, error) { return pick("max", a, b, 1) },
	}
}

// pick returns the number that compares to the other one with the given sign, an int64 when it is whole.
func pick(function string, a, b any, sign int) (any, error) {
	na, err := number(function, a)
	if err != nil {
		return nil, err
	}
	nb, err := number(function, b)
	if err != nil {
		return nil, err
	}
	if na.Compare(nb) == -sign {
		return nb.Value(), nil
	}
	return na.Value(), nil
}
