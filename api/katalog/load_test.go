package katalog

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const small = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: shop}
spec:
  crds:
    website:
      apiTypes: {group: example.com, version: v1, kind: Website}
      operatorBox:
        onCreate:
          deployments:
            - image: nginx
              labels: {example.com/team: web}
            - image: "{{ .spec.image }}"
              name: second
`

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.yaml", small)
	large := write("large.yaml", small+"#"+strings.Repeat(" ", maxFileSize))
	if err := os.Mkdir(filepath.Join(dir, "only"), 0o700); err != nil {
		t.Fatal(err)
	}
	only := write(filepath.Join("only", "page.yaml"), strings.NewReplacer("Website", "Page", "website", "page").Replace(small))
	secret := write("secret.yaml", small)
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		opts   Options
		paths  []string
		want   int
		err    string
	}{
		"File":             {reason: "a file is read", paths: []string{good}, want: 1},
		"SameFile":         {reason: "a file that is named twice is read once", paths: []string{good, filepath.Join(dir, ".", "good.yaml")}, want: 1},
		"FileAndDirectory": {reason: "a directory of a file that was read already is fine", paths: []string{good, only, filepath.Join(dir, "only")}, want: 2},
		"Stdin":            {reason: "- is the standard input", opts: Options{Stdin: strings.NewReader(small)}, paths: []string{"-"}, want: 1},
		"NoStdin":          {reason: "without one - is an error", paths: []string{"-"}, err: "<stdin>: there is no standard input here"},
		"NoPath":           {reason: "nothing to read is an error", err: "no file is given"},
		"Large":            {reason: "a file is at most 4 MiB long", paths: []string{large}, err: "larger than the limit of 4 MiB"},
		"BadVariable":      {reason: "the environment is checked as well", opts: Options{Env: func(name string) string { return map[string]string{"DEFAULT_WORKERS": "99"}[name] }}, paths: []string{good}, err: `environment: DEFAULT_WORKERS: want a number from 1 to 50, got "99"`},
	}
	if os.Getuid() != 0 {
		cases["Unreadable"] = struct {
			reason string
			opts   Options
			paths  []string
			want   int
			err    string
		}{reason: "a file without permission is named", paths: []string{secret}, err: "cannot be read: permission denied"}
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := Load(tc.opts, tc.paths...)
			if tc.err != "" {
				if len(result.Documents) != 0 || err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s\nLoad(...): want error %q, got %v", tc.reason, tc.err, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\nLoad(...): %v", tc.reason, err)
			}
			if got := len(result.Documents); got != tc.want {
				t.Errorf("%s\nLoad(...): want %d documents, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

func TestDefaultsFromEnvironment(t *testing.T) {
	env := map[string]string{"DEFAULT_WORKERS": "7", "DEFAULT_RESYNC": "300", "FAILURE_THRESHOLD": "0"}
	result, err := Parse(Options{Env: func(name string) string { return env[name] }}, "k.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	r := result.Documents[0].Katalog.Spec.CRDs["website"].OperatorBox.Reconciler
	type outcome struct {
		Workers, Failures int32
		Resync            time.Duration
	}
	want := outcome{7, 0, 5 * time.Minute}
	if diff := cmp.Diff(want, outcome{*r.Workers, *r.Queue.FailureThreshold, r.Resync.Duration}); diff != "" {
		t.Errorf("variables replace the defaults: -want, +got:\n%s", diff)
	}
}

// TestWeakness59 shows that a variable is read as it is written, or ends the start.
func TestWeakness59(t *testing.T) {
	with := func(variables ...string) Options {
		env := map[string]string{}
		for i := 0; i < len(variables); i += 2 {
			env[variables[i]] = variables[i+1]
		}
		return Options{Env: func(name string) string { return env[name] }}
	}
	gated := small + "gateway: {}\n"
	cases := map[string]struct {
		reason string
		opts   Options
		text   string
		// want is the security, and wrong what an error says.
		want, wrong string
	}{
		"Nothing": {reason: "nothing is said", opts: with(), text: gated, want: "null"},
		"On": {
			reason: "what a Katalog does not say", opts: with("ENABLE_ADMISSION_WEBHOOK", "true", "ENABLE_DELETION_PROTECTION", "1", "ENABLE_CONVERSION", "true", "ENABLE_NAMESPACE_PROTECTION", "true",
				"WEBHOOK_FAILURE_POLICY", "Ignore", "DELETION_PROTECTION_POLICY", "Ignore", "NAMESPACE_PROTECTION_FAILURE_POLICY", "Fail", "WEBHOOK_CLEANUP_ON_SHUTDOWN", "true",
				"DELETION_PROTECTION_CLEANUP_ON_SHUTDOWN", "true", "NAMESPACE_PROTECTION_CLEANUP_ON_SHUTDOWN", "true", "CONVERSION_WINDOW", "1000"), text: gated,
			want: `{"namespaceProtection":{"failurePolicy":"Fail","cleanupOnShutdown":true},"deletionProtection":{"failurePolicy":"Ignore","cleanupOnShutdown":true},` +
				`"webhooks":{"admission":{},"failurePolicy":"Ignore","cleanupOnShutdown":true},"conversion":{"conversionWindow":1000}}`,
		},
		"Written": {
			reason: "what it says holds", opts: with("ENABLE_ADMISSION_WEBHOOK", "true", "WEBHOOK_FAILURE_POLICY", "Ignore", "WEBHOOK_CLEANUP_ON_SHUTDOWN", "true", "TLS_VALID_FOR", "90d"),
			text: gated + "security: {webhooks: {admission: {enabled: false}, failurePolicy: Fail, cleanupOnShutdown: false}, certManager: {validFor: 60d}}\n",
			want: `{"webhooks":{"admission":{"enabled":false},"failurePolicy":"Fail"},"certManager":{"validFor":"60d"}}`,
		},
		"Window": {
			reason: "a window alone switches nothing on, and one that is written holds", opts: with("CONVERSION_WINDOW", "7"),
			text: gated + "security: {conversion: {enabled: false, conversionWindow: 5}}\n", want: `{"conversion":{"enabled":false,"conversionWindow":5}}`,
		},
		"NoWindow":  {reason: "without conversion", opts: with("CONVERSION_WINDOW", "7"), text: gated, want: "null"},
		"BadWindow": {reason: "no such number", opts: with("CONVERSION_WINDOW", "0"), text: small, wrong: `environment: CONVERSION_WINDOW: want a number from 1 to 10000, got "0"`},
		"Off":       {reason: "what is off is not there", opts: with("ENABLE_ADMISSION_WEBHOOK", "false", "WEBHOOK_FAILURE_POLICY", "Ignore"), text: gated, want: "null"},
		"Block":     {reason: "a block is enough to switch it on", opts: with("ENABLE_DELETION_PROTECTION", "false"), text: gated + "security: {deletionProtection: {}}\n", want: `{"deletionProtection":{}}`},
		"Certificates": {
			reason: "a number alone counts seconds", opts: with("TLS_AUTO_ROTATE", "false", "TLS_ROTATION_THRESHOLD", "3600", "TLS_VALID_FOR", "1y"), text: gated,
			want: `{"certManager":{"autoRotate":false,"rotationThreshold":"1h","validFor":"365d"}}`,
		},
		"NoGateway": {reason: "without a gateway nobody would do it", opts: with("ENABLE_ADMISSION_WEBHOOK", "true"), text: small, want: "null"},
		"Seconds":   {reason: "a number alone", opts: with("DEFAULT_RESYNC", "30"), text: small, want: "null"},
		"BadResync": {reason: "no duration", opts: with("DEFAULT_RESYNC", "abc"), text: small, wrong: `environment: DEFAULT_RESYNC: want a duration above 0, such as 30s, or a number of seconds, got "abc"`},
		"NoResync":  {reason: "none at all", opts: with("DEFAULT_RESYNC", "0"), text: small, wrong: `environment: DEFAULT_RESYNC: want a duration above 0`},
		"BadSwitch": {reason: "no switch", opts: with("ENABLE_CONVERSION", "yes please"), text: small, wrong: `environment: ENABLE_CONVERSION: want true or false, got "yes please"`},
		"BadPolicy": {reason: "no policy", opts: with("WEBHOOK_FAILURE_POLICY", "ignore"), text: small, wrong: `environment: WEBHOOK_FAILURE_POLICY: want Fail or Ignore, got "ignore"`},
		"BadTLS":    {reason: "no time", opts: with("TLS_VALID_FOR", "-1h"), text: small, wrong: `environment: TLS_VALID_FOR: want a duration above 0`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := Parse(tc.opts, "k.yaml", []byte(tc.text))
			if tc.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wrong) {
					t.Fatalf("\n%s\ngot %v, want %s", tc.reason, err, tc.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(result.Documents[0].Katalog.Security)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// What needs a gateway is for one that a Katalog declares, or that is there all the same; what it can't do is refused where it would do it.
func TestGateway(t *testing.T) {
	protected := []byte(small + "security: {deletionProtection: {}}\n")
	taken := []byte(small + "gateway: {webhooks: {generic: [{name: ci, path: /ci, secretRef: {name: a, key: b}}]}}\n")
	open := func(auth string) []byte {
		served := strings.Replace(small, "      operatorBox:\n", "      serve: {enabled: true, namespace: shop}\n      operatorBox:\n", 1)
		return []byte(served + "gateway: {api: {enabled: true, auth: {" + auth + "tokens: [{name: a, token: \"${A}\"}]}}}\n")
	}
	insecure := []byte(small + "gateway: {clusters: {eu: {endpoint: \"https://eu\", tokenRef: {name: a, key: b}, insecure: true}}}\n")
	production := func(name string) string { return map[string]string{"ORK_ENV": "production"}[name] }
	endpoint := func(name string) string { return map[string]string{"ORK_GATEWAY_ENDPOINT": "https://gateway"}[name] }
	cases := map[string]struct {
		reason string
		opts   Options
		text   []byte
		// wrong is what an error says, and warned what a warning does.
		wrong, warned string
	}{
		"Nobody":     {reason: "nothing would protect", text: protected, wrong: "security.deletionProtection: needs a gateway, and the Katalog declares none"},
		"Elsewhere":  {reason: "the environment tells of one", opts: Options{Env: endpoint}, text: protected},
		"Itself":     {reason: "the gateway knows that it is there", opts: Options{Gateway: true}, text: protected},
		"Warned":     {reason: "an operator has nothing to do with deliveries", text: taken, warned: "gateway.webhooks: is not supported by the gateway yet: ork gate refuses it"},
		"Refused":    {reason: "a gateway would take none", opts: Options{Gateway: true}, text: taken, wrong: "gateway.webhooks: not supported yet"},
		"Weakness11": {reason: "everybody may do everything", text: open(""), warned: "serve.tokens: without it every token of the gateway may do everything"},
		"Weakness11Explicit": {
			reason: "which can be ruled out", text: open("requireExplicitTokens: true, "), wrong: "serve.tokens: required by gateway.api.auth.requireExplicitTokens",
		},
		"Insecure": {reason: "a token that anybody reads", text: insecure, warned: "gateway.clusters[eu].insecure: whoever is between here and the cluster"},
		"Production": {
			reason: "is none for production", opts: Options{Env: production}, text: insecure, wrong: "gateway.clusters[eu].insecure: is not allowed with ORK_ENV=production",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := Parse(tc.opts, "k.yaml", tc.text)
			if (err == nil) != (tc.wrong == "") || err != nil && !strings.Contains(err.Error(), tc.wrong) {
				t.Errorf("\n%s\nParse(...): error %v, want %q", tc.reason, err, tc.wrong)
			}
			if got := result.Warnings.Error(); (len(result.Warnings) == 0) != (tc.warned == "") || !strings.Contains(got, tc.warned) {
				t.Errorf("\n%s\nParse(...): warnings %q, want %q", tc.reason, got, tc.warned)
			}
		})
	}
}

func TestFilesOptional(t *testing.T) {
	text := []byte(small + "      crFiles: [nowhere.yaml]\n")
	if _, err := Parse(Options{}, "dir/k.yaml", text); err == nil || !strings.Contains(err.Error(), "dir/nowhere.yaml does not exist") {
		t.Errorf("a missing file is an error that names the resolved path; got %v", err)
	}
	result, err := Parse(Options{FilesOptional: true}, "dir/k.yaml", text)
	if err != nil {
		t.Fatalf("with FilesOptional it is none: %v", err)
	}
	want := "dir/k.yaml:15:17: spec.crds[website].crFiles[0]: dir/nowhere.yaml does not exist; the cluster must hold what it would"
	if got := result.Warnings.Error(); got != want {
		t.Errorf("with FilesOptional it is a warning:\nwant %s\ngot  %s", want, got)
	}
}

// What was read or looked for is told, also when it is wrong: it may be mended.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "k.yaml")
	if err := os.WriteFile(file, []byte(small+"      crFiles: [sub/nowhere.yaml]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing, nowhere := filepath.Join(dir, "missing.yaml"), filepath.Join(dir, "sub", "nowhere.yaml")
	result, err := Load(Options{Stdin: strings.NewReader("")}, dir, missing, Stdin)
	if err == nil {
		t.Error("two files are missing")
	}
	if diff := cmp.Diff([]string{dir, file, missing, nowhere}, result.Sources); diff != "" {
		t.Errorf("Sources: -want, +got:\n%s", diff)
	}
}

// A device or pipe that a Katalog names could block the load for ever.
func TestReferencedFileMustBeRegular(t *testing.T) {
	_, err := Parse(Options{}, "k.yaml", []byte(small+"      crdFile: "+os.DevNull+"\n"))
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("want an error about %s, got %v", os.DevNull, err)
	}
}

func TestDocument(t *testing.T) {
	result, err := Parse(Options{}, "k.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	doc := result.Documents[0]
	deployments := field.NewPath("spec", "crds").Key("website").Child("operatorBox", "onCreate", "deployments")
	cases := map[string]struct {
		reason string
		path   *field.Path
		want   string
	}{
		"Scalar":   {"a scalar is located itself", deployments.Index(0).Child("image"), "k.yaml:11:22"},
		"Element":  {"an element is located by its value", deployments.Index(1), "k.yaml:13:15"},
		"List":     {"a list is located by its key", deployments, "k.yaml:10:11"},
		"Key":      {"a key may hold dots and slashes", deployments.Index(0).Child("labels").Key("example.com/team"), "k.yaml:12:42"},
		"Absent":   {"what is not written is located by what is around it", deployments.Index(0).Child("probes", "liveness"), "k.yaml:11:15"},
		"Nowhere":  {"the document is around everything", field.NewPath("notes"), "k.yaml:1:1"},
		"NilPath":  {"no path is the document", nil, "k.yaml:1:1"},
		"BadIndex": {"an index too far is located by its list", deployments.Index(9).Child("image"), "k.yaml:10:11"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := doc.Locate(tc.path).String(); got != tc.want {
				t.Errorf("%s\nLocate(%s): want %s, got %s", tc.reason, tc.path, tc.want, got)
			}
		})
	}
	findings := doc.Findings(field.ErrorList{
		field.Invalid(deployments.Index(1).Child("image"), "x", "second"),
		field.Required(deployments.Index(0).Child("image"), "first"),
	})
	want := "k.yaml:11:22: spec.crds[website].operatorBox.onCreate.deployments[0].image: first\n" +
		"k.yaml:13:22: spec.crds[website].operatorBox.onCreate.deployments[1].image: second, got \"x\""
	if got := findings.Error(); got != want {
		t.Errorf("Findings(...) have positions and are sorted:\nwant %s\ngot  %s", want, got)
	}
}

// A canonical document that is written out and read again stays as it is and needs no rewriting.
func TestRoundTrip(t *testing.T) {
	for _, name := range cases(t, "testdata/valid") {
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Join("testdata", "valid", name))
			first, err := Load(Options{}, casePaths(t)...)
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range first.Documents {
				data := render(t, &Result{Documents: []*Document{{Katalog: doc.Katalog}}})
				second, err := Parse(Options{}, doc.root.File, []byte(data))
				if err != nil {
					t.Fatalf("%v\n%s", err, data)
				}
				if diff := cmp.Diff(doc.Katalog, second.Documents[0].Katalog, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("-first, +second:\n%s", diff)
				}
				for _, warning := range second.Warnings {
					if strings.Contains(warning.Message, "older") {
						t.Errorf("the canonical form has an older spelling: %s", warning)
					}
				}
			}
		})
	}
}

// TestDefaultsAreNotShared shows that every CRD has values of its own.
func TestDefaultsAreNotShared(t *testing.T) {
	text := small + "    page:\n      apiTypes: {group: example.com, version: v1, kind: Page}\n"
	result, err := Parse(Options{}, "k.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	crds := result.Documents[0].Katalog.Spec.CRDs
	*crds["page"].OperatorBox.Reconciler.Workers = 9
	*crds["page"].Enabled = false
	if got := crds["website"]; *got.OperatorBox.Reconciler.Workers != 3 || !*got.Enabled {
		t.Error("a change of one CRD's default changed another's")
	}
}

func TestFindingsAreAnError(t *testing.T) {
	_, err := Parse(Options{}, "k.yaml", []byte("kind: Katalog\n"))
	findings, ok := errors.AsType[Findings](err)
	if !ok || len(findings) == 0 {
		t.Fatalf("want Findings, got %T", err)
	}
	want := Finding{Position: Position{"k.yaml", 1, 1}, Path: "apiVersion", Message: "required", Valid: []string{"orkestra.orkspace.io/v1"}}
	if diff := cmp.Diff(want, findings[0]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestServeIncludeAgain shows that what a serve block includes is found beside the Katalog, wherever the process runs, that it is what to watch, and that it is
// read again with the Katalog.
func TestServeIncludeAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/valid/serve-include")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	file := filepath.Join(dir, "shared", "serve.yaml")
	labels := func() (of map[string]string) {
		result, err := Load(Options{}, filepath.Join(dir, "katalog.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{filepath.Join(dir, "katalog.yaml")}
		for _, name := range []string{"auth", "serve", "target", "tokens"} {
			want = append(want, filepath.Join(dir, "shared", name+".yaml"))
		}
		if diff := cmp.Diff(want, result.Sources); diff != "" {
			t.Errorf("Sources: -want, +got:\n%s", diff)
		}
		of = map[string]string{}
		serve := result.Documents[0].Katalog.Spec.CRDs["website"].Serve
		for key, one := range serve.Fields {
			of[key] = one.Label
		}
		return of
	}
	if diff := cmp.Diff(map[string]string{"size": "Inline size", "plan": "Included plan"}, labels()); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}
	if err := os.WriteFile(file, []byte("fields: {plan: {label: Another plan}, size: {label: Another size}, extra: {label: Extra}}\nlabels: {team: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"size": "Inline size", "plan": "Another plan", "extra": "Extra"}, labels()); diff != "" {
		t.Errorf("labels after the file has changed: -want, +got:\n%s", diff)
	}
}

func TestIsProduction(t *testing.T) {
	for name, want := range map[string]bool{"": false, "development": false, "staging": false, "production": true, "prod": true, "Live": true, "producton": false} {
		if got := isProduction(name); got != want {
			t.Errorf("ORK_ENV=%q is production: %t, want %t", name, got, want)
		}
	}
}
