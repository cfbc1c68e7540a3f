package image_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

func TestRegistries(t *testing.T) {
	const (
		refused  = ", which is refused unless the operator is told to allow it (--registry-allow="
		unlisted = ": it is not among those that the operator is told to allow (--registry-allow)"
	)
	only := []string{"registry.example.com", "127.0.0.1:5000", "Docker.io"}
	cases := map[string]struct {
		reason, name string
		allow        []string
		reach        reach.Options
		says         string
	}{
		"Public":       {reason: "any name, where none is listed", name: "registry.example.com/a"},
		"Hub":          {reason: "the one of images that name none", name: "a"},
		"Loopback":     {reason: "the machine of the daemon", name: "127.0.0.1:5000/a", says: "push to the registry 127.0.0.1:5000: its address is loopback" + refused + "127.0.0.1:5000)"},
		"Localhost":    {reason: "by its name", name: "localhost/a", says: "push to the registry localhost: its address is loopback" + refused + "localhost)"},
		"Below":        {reason: "and those below it", name: "a.localhost:5000/a", says: "push to the registry a.localhost:5000: its address is loopback" + refused + "a.localhost:5000)"},
		"Old":          {reason: "as old libraries read it", name: "127.1/a", says: "push to the registry 127.1: its address is loopback" + refused + "127.1)"},
		"Metadata":     {reason: "of a cloud", name: "169.254.169.254/a", says: "push to the registry 169.254.169.254: its address is link-local" + refused + "169.254.169.254)"},
		"Private":      {reason: "a registry of the cluster", name: "10.0.0.1:5000/a"},
		"PrivateToo":   {reason: "where private addresses are refused", name: "10.0.0.1:5000/a", reach: reach.Options{RefusePrivate: true}, says: "push to the registry 10.0.0.1:5000: its address is private" + refused + "10.0.0.1:5000)"},
		"Exception":    {reason: "what calls may reach", name: "127.0.0.1:5000/a", reach: reach.Options{Allow: []string{"127.0.0.0/8"}}},
		"Listed":       {reason: "a registry on any port", name: "registry.example.com:8443/a", allow: only},
		"ListedPort":   {reason: "an address that is listed may be one that is refused otherwise", name: "127.0.0.1:5000/a", allow: only},
		"OtherPort":    {reason: "another port is another registry", name: "127.0.0.1:5001/a", allow: only, says: "push to the registry 127.0.0.1:5001" + unlisted},
		"ListedHub":    {reason: "one registry has many names", name: "index.docker.io/a/b", allow: only},
		"Unlisted":     {reason: "no other than those that are listed", name: "evil.example.com/a", allow: only, says: "push to the registry evil.example.com" + unlisted},
		"UnlistedName": {reason: "a name that only ends like one", name: "a.registry.example.com/a", allow: only, says: "push to the registry a.registry.example.com" + unlisted},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dialer, err := reach.New(tc.reach)
			if err != nil {
				t.Fatal(err)
			}
			registries, err := image.NewRegistries(image.RegistriesOptions{Allow: tc.allow, Dialer: dialer})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := image.Name(tc.name)
			if err != nil {
				t.Fatal(err)
			}
			if got := errorText(registries.Check(image.Request{Image: whole, Push: true})); got != tc.says {
				t.Errorf("\n%s\nCheck(%s): %q, want %q", tc.reason, whole, got, tc.says)
			}
			if err := registries.Check(image.Request{Image: whole}); err != nil {
				t.Errorf("\nan image that is not pushed is only named\nCheck(%s): %v", whole, err)
			}
		})
	}
	var none *image.Registries
	if none.Check(image.Request{Image: "localhost/a:1", Push: true}) == nil || none.Check(image.Request{Image: "example.com/a:1", Push: true}) != nil {
		t.Error("without options it is not as with none of them")
	}
}

func TestNewRegistries(t *testing.T) {
	for _, wrong := range []string{"", "https://registry.example.com", "registry.example.com/shop", "*.example.com", "a b", "user@host", ":5000"} {
		if _, err := image.NewRegistries(image.RegistriesOptions{Allow: []string{wrong}}); err == nil {
			t.Errorf("NewRegistries(%q): want an error", wrong)
		}
	}
	for _, right := range []string{"docker.io", "registry.example.com:5000", "LOCALHOST:5000", "[::1]:5000", "10.0.0.1"} {
		if _, err := image.NewRegistries(image.RegistriesOptions{Allow: []string{right}}); err != nil {
			t.Errorf("NewRegistries(%q): %v", right, err)
		}
	}
}
