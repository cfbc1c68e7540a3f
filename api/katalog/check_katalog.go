package katalog

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// shared checks the blocks of a Katalog beside its CRDs.
func (c *checker) shared(katalog *orkv1.Katalog) {
	c.lifecycle(katalog.Lifecycle, field.NewPath("lifecycle"))
	c.profiles(katalog.Profiles, field.NewPath("profiles"))
	c.notification(katalog.Notification, field.NewPath("notification"))
	c.notes(katalog.Notes, field.NewPath("notes"))
	c.claims(katalog.Providers)
	c.security(katalog)
	if g := katalog.Gateway; g != nil && g.Endpoint != "" {
		at := field.NewPath("gateway", "endpoint")
		c.baseURL(g.Endpoint, "http://orkestra-gateway.orkestra-system.svc:8080", at, "http", "https")
		if g.Standalone {
			c.errorf(at, "a standalone gateway has no endpoint")
		}
	}
}

// templateWords have a meaning of their own in templates, whatever a note is called.
var templateWords = []string{
	"block", "break", "continue", "define", "else", "end", "false", "if", "nil", "range", "template", "true", "with",
}

func (c *checker) notes(notes *orkv1.Notes, path *field.Path) {
	if notes == nil {
		return
	}
	seen := map[string]*field.Path{}
	for i, note := range notes.Functions {
		at := path.Child("functions").Index(i).Child("name")
		c.named(note.Name, seen, at)
		switch {
		case note.Name != "" && !identifier.MatchString(note.Name):
			c.errorf(at, "want an identifier such as teamName, got %s", quote(note.Name))
		case slices.Contains(templateWords, note.Name):
			c.errorf(at, "%s is a word of templates: no expression could call the note", note.Name)
		}
	}
}

// named checks that a name is new among those seen.
func (c *checker) named(name string, seen map[string]*field.Path, path *field.Path) {
	if first := seen[name]; name != "" && first != nil {
		c.errorf(path, "%s stands twice; the first is at %s", quote(name), c.doc.place(first.String()))
		return
	}
	seen[name] = path
}

func (c *checker) lifecycle(l *orkv1.Lifecycle, path *field.Path) {
	if l == nil || l.Deprecation == nil || l.Deprecation.Timeline == nil {
		return
	}
	timeline, at := l.Deprecation.Timeline, path.Child("deprecation", "timeline")
	from, fromOK := c.date(timeline.From, at.Child("from"))
	to, toOK := c.date(timeline.To, at.Child("to"))
	if fromOK && toOK && !from.Before(to) {
		c.errorf(at.Child("to"), "must be after from (%s), got %s", timeline.From, timeline.To)
	}
}

func (c *checker) date(text string, path *field.Path) (date time.Time, ok bool) {
	if text == "" {
		return time.Time{}, false
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		c.errorf(path, "want a date such as 2030-01-31, got %s", quote(text))
	}
	return date, err == nil
}

// profiles checks that the names of each class are unique, in any case.
func (c *checker) profiles(p *orkv1.Profiles, path *field.Path) {
	if p == nil {
		return
	}
	v := reflect.ValueOf(p).Elem()
	for _, f := range infoOf(v.Type()).fields {
		list, seen := v.FieldByIndex(f.index), map[string]*field.Path{}
		for i := range list.Len() {
			if name := part[orkv1.ProfileName](list.Index(i)); name != nil {
				at := path.Child(f.name).Index(i).Child("name")
				c.named(strings.ToLower(strings.TrimSpace(name.Name)), seen, at)
				if !isStatic(name.Name) {
					c.errorf(at, "a name holds no template; the values of a profile may")
				}
			}
		}
	}
	for i := range p.Reconciler {
		at := path.Child("reconciler").Index(i)
		c.reconciler(&orkv1.Reconciler{Workers: p.Reconciler[i].Workers, Resync: p.Reconciler[i].Resync, Queue: p.Reconciler[i].Queue}, at)
	}
	c.profileValues(p, path)
}

func (c *checker) notification(n *orkv1.Notification, path *field.Path) {
	if n == nil {
		return
	}
	if n.Defaults != nil {
		c.positive(n.Defaults.Interval, path.Child("defaults", "interval"))
	}
	for _, name := range slices.Sorted(maps.Keys(n.Teams)) {
		team, at := n.Teams[name], path.Child("teams").Key(name)
		if team.Slack == nil && len(team.Email) == 0 {
			c.errorf(at, "needs slack or email")
		}
		c.positive(team.Interval, at.Child("interval"))
	}
}

// teams checks the teams of every notify of a value, at any depth.
func (c *checker) teams(v reflect.Value, path *field.Path) {
	switch v.Kind() {
	case reflect.Pointer:
		if notify, ok := reflect.TypeAssert[*orkv1.Notify](v); ok && notify != nil {
			c.notify(notify, path)
		} else if !v.IsNil() {
			c.teams(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.teams(v.Index(i), path.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			c.teams(v.MapIndex(key), path.Key(fmt.Sprint(key)))
		}
	case reflect.Struct:
		if v.Type() == typeJSON {
			return
		}
		for _, f := range infoOf(v.Type()).fields {
			c.teams(v.FieldByIndex(f.index), path.Child(f.name))
		}
	default:
	}
}

func (c *checker) notify(n *orkv1.Notify, path *field.Path) {
	var known []string
	if teams := c.doc.Katalog.Notification; teams != nil {
		known = slices.Sorted(maps.Keys(teams.Teams))
	}
	for i, team := range n.Teams {
		if !slices.Contains(known, team) {
			c.invalidf(path.Child("teams").Index(i), known, "no team of notification is called %s", quote(team))
		}
	}
}
