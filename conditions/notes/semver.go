package notes

import (
	"fmt"
	"math"

	"github.com/Masterminds/semver/v3"
)

// semverFamily takes versions with a leading v or without, and those without a minor or patch number, which are then 0. A
// missing version is 0.0.0.
func semverFamily() []Function {
	part := func(name, doc, result string, of func(*semver.Version) uint64) Function {
		return Function{
			Name: name, Signature: "s", Result: "number", Doc: doc, Examples: []Example{{"{{ " + name + " .spec.version }}", result}},
			Code: func(s any) (int64, error) {
				v, err := version(name, s)
				if err != nil {
					return 0, err
				}
				return int64(min(of(v), math.MaxInt64)), nil
			},
		}
	}
	return []Function{
		part("semverMajor", "the first number", "1", (*semver.Version).Major),
		part("semverMinor", "the second number", "4", (*semver.Version).Minor),
		part("semverPatch", "the third number", "2", (*semver.Version).Patch),
		{
			Name: "semverValid", Signature: "s", Result: "bool", Doc: "whether it is a version: `1.4.2`, `v1.4.2-rc.1`, also `1.4`",
			Code: func(s any) bool {
				_, err := version("semverValid", s)
				return err == nil && !Empty(s)
			},
			Examples: []Example{{`{{ semverValid "latest" }}`, "false"}},
		},
		{
			Name: "semverCompare", Signature: "a b", Result: "number", Code: semverCompare, Doc: "-1 when `a` is older than `b`, 0 when both are the same, 1 when it is newer",
			Examples: []Example{{`{{ semverCompare .spec.version "1.10.0" }}`, "-1"}},
		},
		{
			Name: "semverBump", Signature: "s part", Result: "text", Code: semverBump, Doc: "the next version; `part` is `major`, `minor` or `patch`",
			Examples: []Example{{`{{ semverBump .spec.version "minor" }}`, "v1.5.0"}},
		},
		{
			Name: "semverConstraint", Signature: "s constraint", Result: "bool", Code: semverConstraint,
			Doc:      "whether the version satisfies a constraint such as `>=1.2 <2`, `^1.4` or `~1.4.0`; a missing version satisfies none",
			Examples: []Example{{`{{ semverConstraint .spec.version "^1.2" }}`, "true"}},
		},
	}
}

// maxVersion bounds the text of a version or constraint, in bytes.
const maxVersion = 256

func version(function string, value any) (*semver.Version, error) {
	if Empty(value) {
		return semver.New(0, 0, 0, "", ""), nil
	}
	text := Text(value)
	v, err := semver.NewVersion(text[:min(len(text), maxVersion)])
	if err != nil || len(text) > maxVersion {
		return nil, fmt.Errorf("%s: %s is not a version: use major.minor.patch, such as 1.4.2", function, quote(value))
	}
	return v, nil
}

func semverCompare(a, b any) (int64, error) {
	va, err := version("semverCompare", a)
	if err != nil {
		return 0, err
	}
	vb, err := version("semverCompare", b)
	if err != nil {
		return 0, err
	}
	return int64(va.Compare(vb)), nil
}

func semverBump(s, part any) (string, error) {
	v, err := version("semverBump", s)
	if err != nil {
		return "", err
	}
	var next semver.Version
	switch Text(part) {
	case "major":
		next = v.IncMajor()
	case "minor":
		next = v.IncMinor()
	case "patch":
		next = v.IncPatch()
	default:
		return "", fmt.Errorf("semverBump: %s is no part of a version: use major, minor or patch", quote(part))
	}
	return next.Original(), nil
}

func semverConstraint(s, constraint any) (bool, error) {
	v, err := version("semverConstraint", s)
	if err != nil {
		return false, err
	}
	text := Text(constraint)
	if text == "" {
		return !Empty(s), nil
	}
	c, err := semver.NewConstraint(text[:min(len(text), maxVersion)])
	if err != nil || len(text) > maxVersion {
		return false, fmt.Errorf("semverConstraint: %s is not a constraint: use comparisons, such as >=1.2 <2 or ^1.4", quote(constraint))
	}
	return !Empty(s) && c.Check(v), nil
}
