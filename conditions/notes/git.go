package notes

import (
	"net/url"
	"regexp"
	"strings"
)

func gitFamily() []Function {
	describe := func(name, signature, result, doc, example, gives string, code any) Function {
		return Function{Name: name, Signature: signature, Result: result, Doc: doc, Code: code, Examples: []Example{{example, gives}}}
	}
	return []Function{
		describe("gitShortCommit", "sha", "text", "the first 7 characters", "{{ gitShortCommit .git.commit }}", "4f2d9c1",
			func(sha any) string { return shortCommit(Text(sha)) }),
		describe("gitIsCommit", "s", "bool", "whether it is a commit: 7 to 40 hexadecimal digits, or 64", "{{ gitIsCommit .git.commit }}", "true",
			func(s any) bool { return commit.MatchString(Text(s)) }),
		describe("gitDefaultBranch", "s", "text", "the branch, `main` by default", "{{ gitDefaultBranch .spec.none }}", "main",
			func(s any) string { return firstText(strings.TrimSpace(Text(s)), "main") }),
		describe("gitRefShort", "ref", "text", "the branch or tag of a ref", `{{ gitRefShort "refs/heads/feature/x" }}`, "feature/x", gitRefShort),
		describe("gitChanged", "s", "bool", "whether `.git`, or `.git.changed`, says that there was a new commit", "{{ gitChanged .git }}", "true",
			func(s any) bool { return saysYes(s, "changed") }),
		describe("repoName", "url", "text", "the name of a repository", "{{ repoName .spec.repo }}", "shop",
			func(url any) string { return parseRepository(Text(url)).name }),
		describe("repoOrg", "url", "text", "what its path begins with: the organization or group", "{{ repoOrg .spec.repo }}", "acme",
			func(url any) string { return parseRepository(Text(url)).org }),
		describe("repoHost", "url", "text", "the host", "{{ repoHost .spec.repo }}", "github.com",
			func(url any) string { return parseRepository(Text(url)).host }),
		describe("repoSSHToHTTPS", "url", "text", "the URL for HTTPS; one that is not for SSH stays", "{{ repoSSHToHTTPS .spec.repo }}", "https://github.com/acme/shop.git", repoSSHToHTTPS),
		describe("repoHTTPSToSSH", "url", "text", "the URL for SSH; one that is not for HTTPS stays", `{{ repoHTTPSToSSH "https://github.com/acme/shop.git" }}`, "git@github.com:acme/shop.git", repoHTTPSToSSH),
	}
}

var commit = regexp.MustCompile(`^([0-9a-fA-F]{7,40}|[0-9a-fA-F]{64})$`)

func shortCommit(sha string) string {
	const length = 7
	return sha[:min(len(sha), length)]
}

func gitRefShort(ref any) string {
	text := Text(ref)
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/origin/"} {
		if short, ok := strings.CutPrefix(text, prefix); ok {
			return short
		}
	}
	return text
}

// saysYes reads a boolean or its text, alone or under a key of the map that holds it.
func saysYes(value any, key string) bool {
	if TypeOf(value) == TypeMap {
		value = fieldOf(value, key)
	}
	yes, _ := BoolOf(value)
	return yes
}

// repository is a URL taken apart. All of it is empty for what is no URL of a repository.
type repository struct {
	scheme string // ssh also for git@host:org/name
	host   string // with its port
	org    string
	name   string // without .git
}

// scpLike is the short form of a URL for SSH: user@host:path.
var scpLike = regexp.MustCompile(`^(?:[\w.-]+@)([\w.-]+):([^/].*)$`)

func parseRepository(text string) repository {
	text = strings.TrimSpace(text)
	var r repository
	var path string
	if short := scpLike.FindStringSubmatch(text); short != nil {
		r.scheme, r.host, path = "ssh", short[1], short[2]
	} else {
		scheme, _, found := strings.Cut(text, "://")
		if !found {
			text = "https://" + text
			scheme = ""
		}
		parsed, err := url.Parse(text)
		if err != nil {
			return repository{}
		}
		r.scheme, r.host, path = scheme, parsed.Host, parsed.Path
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		r.org, r.name = path[:at], path[at+1:]
	} else {
		r.name = path
	}
	if r.name == "" && r.scheme == "" { // A name alone.
		r.name, r.host = strings.TrimSuffix(r.host, ".git"), ""
	}
	return r
}

func (r repository) path() string {
	if r.org == "" {
		return r.name
	}
	return r.org + "/" + r.name
}

func repoSSHToHTTPS(value any) string {
	text := strings.TrimSpace(Text(value))
	r := parseRepository(text)
	if r.scheme != "ssh" || r.host == "" || r.name == "" {
		return text
	}
	host, _, _ := strings.Cut(r.host, ":") // The port is that of SSH.
	return "https://" + host + "/" + r.path() + suffix(text)
}

func repoHTTPSToSSH(value any) string {
	text := strings.TrimSpace(Text(value))
	r := parseRepository(text)
	if r.scheme != "https" && r.scheme != "http" || r.host == "" || r.name == "" {
		return text
	}
	host, _, _ := strings.Cut(r.host, ":")
	return "git@" + host + ":" + r.path() + suffix(text)
}

func suffix(text string) string {
	if strings.HasSuffix(text, ".git") {
		return ".git"
	}
	return ""
}
