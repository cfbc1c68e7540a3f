package katalog

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// The checks of this file look at values that are given and hold no template; those of a template are made when it is
// rendered.

func (c *checker) quantity(text orkv1.Template, path *field.Path) {
	if !isStatic(text) {
		return
	}
	if q, err := orkv1.ParseQuantity(string(text)); err != nil {
		c.errorf(path, "want a quantity such as 100m or 128Mi, got %s", quote(string(text)))
	} else if q.Sign() < 0 {
		c.errorf(path, "must not be negative, got %s", text)
	}
}

// count checks a number that is given and holds no template.
func (c *checker) count(text orkv1.Template, path *field.Path) {
	if text == "" || !isStatic(text) {
		return
	}
	if n, err := strconv.ParseInt(string(text), 10, 32); err != nil || n < 0 {
		c.errorf(path, "want a whole number of at least 0, got %s", quote(string(text)))
	}
}

func (c *checker) countOrPercent(text orkv1.Template, path *field.Path) {
	if text == "" || !isStatic(text) {
		return
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(string(text), "%")); err != nil || n < 0 {
		c.errorf(path, "want a number or a percentage, got %s", quote(string(text)))
	}
}

// port checks a port that is given and holds no template.
func (c *checker) port(text orkv1.Template, path *field.Path, nameAllowed bool) {
	if text == "" || !isStatic(text) {
		return
	}
	if n, err := strconv.Atoi(string(text)); err == nil {
		if n < 1 || n > 65535 {
			c.errorf(path, "want a port from 1 to 65535, got %d", n)
		}
		return
	}
	if !nameAllowed || len(validation.IsValidPortName(string(text))) > 0 {
		c.errorf(path, "want a port from 1 to 65535, got %s", quote(string(text)))
	}
}

// oneOf checks a text that is given and holds no template.
func (c *checker) oneOf(text orkv1.Template, valid []string, path *field.Path) {
	if text != "" && isStatic(text) && !slices.Contains(valid, string(text)) {
		c.invalidf(path, valid, "unknown value %s", quote(string(text)))
	}
}

func (c *checker) profileOr(profile orkv1.Template, explicit bool, what string, path *field.Path) {
	if profile != "" && explicit {
		c.errorf(path.Child("profile"), "a profile excludes %s; keep one", what)
	}
}
