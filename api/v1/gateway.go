package v1

// Gateway is the process that serves webhooks and takes intents.
type Gateway struct {
	// Enabled tells that a gateway is installed. Defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Standalone is a gateway without a runtime. It excludes Endpoint.
	// +optional
	Standalone bool `json:"standalone,omitempty"`
	// Endpoint is its base URL.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`
	// API takes intents.
	// +optional
	API *GatewayAPI `json:"api,omitempty"`
	// Webhooks are sources of intents.
	// +optional
	Webhooks *Intake `json:"webhooks,omitempty"`
	// Clusters are others to apply to, by name.
	// +optional
	Clusters map[string]Cluster `json:"clusters,omitempty"`
}

// Serves tells whether intents are taken over HTTP. A nil Gateway takes none.
func (g *Gateway) Serves() bool { return g != nil && g.API != nil && g.API.Enabled }

// Cluster is another cluster to apply to. It is reached with the credential of SecretRef or of TokenRef, one of the two.
type Cluster struct {
	// Endpoint is the URL of its API server, such as https://eu.example:6443.
	Endpoint string `json:"endpoint"`
	// SecretRef holds a kubeconfig that leads to Endpoint and holds its credential itself: no files, and no commands to run.
	// +optional
	SecretRef *SecretKey `json:"secretRef,omitempty"`
	// TokenRef holds a bearer token.
	// +optional
	TokenRef *SecretKey `json:"tokenRef,omitempty"`
	// CARef holds, as PEM, the certificates that the API server's is signed by. It is required beside TokenRef, unless Insecure is set.
	// +optional
	CARef *SecretKey `json:"caRef,omitempty"`
	// Insecure takes the API server's certificate as it is: whoever is in between reads the token. Defaults to false.
	// +optional
	Insecure bool `json:"insecure,omitempty"`
}

// GatewayAPI takes intents over HTTP.
type GatewayAPI struct {
	// Enabled takes requests. Defaults to false.
	// +optional
	Enabled bool `json:"enabled,omitempty"`
	// Auth lists who may ask.
	// +optional
	Auth *GatewayAuth `json:"auth,omitempty"`
	// RateLimit bounds the requests of each token.
	// +optional
	RateLimit *RateLimit `json:"rateLimit,omitempty"`
	// IntentAnnotationMaxBytes bounds what is kept of an intent in an annotation of the resource; of a longer one it is the length and the hash.
	// Defaults to 16384.
	// +optional
	// +kubebuilder:validation:Minimum=256
	// +kubebuilder:validation:Maximum=131072
	IntentAnnotationMaxBytes *int32 `json:"intentAnnotationMaxBytes,omitempty"`
}

// The bounds of GatewayAPI.IntentAnnotationMaxBytes, in bytes: the least holds what stands for a longer intent, and the most leaves half of
// what a resource may have of annotations to others.
const (
	MinIntentAnnotation     = 256
	MaxIntentAnnotation     = 128 << 10
	DefaultIntentAnnotation = 16 << 10
)

// RateLimit bounds the requests of each token.
type RateLimit struct {
	// RequestsPerSecond defaults to 20.
	// +optional
	// +kubebuilder:validation:Minimum=1
	RequestsPerSecond *int32 `json:"requestsPerSecond,omitempty"`
	// Burst defaults to 40.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Burst *int32 `json:"burst,omitempty"`
}

// GatewayAuth lists who may ask.
type GatewayAuth struct {
	// RequireExplicitTokens makes a served CRD without a list of tokens an error.
	// +optional
	RequireExplicitTokens bool `json:"requireExplicitTokens,omitempty"`
	// Tokens are the callers.
	// +optional
	Tokens []GatewayToken `json:"tokens,omitempty"`
}

// GatewayToken is one caller. Exactly one source is set beside Name.
type GatewayToken struct {
	// Name of the caller, by which serve.tokens and logs call it. It is unique.
	Name string `json:"name"`
	// Token names an environment variable as ${NAME}.
	// +optional
	Token string `json:"token,omitempty"`
	// SecretRef is created with a random value when it is absent.
	// +optional
	SecretRef *TokenSecret `json:"secretRef,omitempty"`
	// GitHubOIDC accepts tokens of GitHub Actions.
	// +optional
	GitHubOIDC *GitHubOIDC `json:"githubOIDC,omitempty"`
	// GitLabOIDC accepts tokens of GitLab CI.
	// +optional
	GitLabOIDC *GitLabOIDC `json:"gitlabOIDC,omitempty"`
	// VaultOIDC accepts identity tokens of a Vault.
	// +optional
	VaultOIDC *VaultOIDC `json:"vaultOIDC,omitempty"`
	// OIDC accepts tokens of any other issuer.
	// +optional
	OIDC *OIDC `json:"oidc,omitempty"`
	// ServiceAccount accepts tokens of service accounts of the cluster.
	// +optional
	ServiceAccount *ServiceAccountTokens `json:"serviceAccount,omitempty"`
}

// TokenSecret is a Secret with a token.
type TokenSecret struct {
	SecretKey `json:",inline"`
	// RotateAfter is the age at which the token is made anew.
	// +optional
	RotateAfter *Duration `json:"rotateAfter,omitempty"`
	// RotationGrace is how long the token before the current one is still accepted. Defaults to 24h; 0s accepts it no more.
	// +optional
	RotationGrace *Duration `json:"rotationGrace,omitempty"`
}

// ClaimMatch is what a claim must be. A file may give the exact text alone.
type ClaimMatch struct {
	// Equals is the exact text of the claim.
	// +optional
	Equals string `json:"equals,omitempty"`
	// Glob matches with * and **.
	// +optional
	Glob string `json:"glob,omitempty"`
}

// GitHubOIDC accepts tokens of GitHub Actions. Allow must not be empty.
type GitHubOIDC struct {
	// Audience that a token must be made for. Absent, it is not checked.
	// +optional
	Audience string `json:"audience,omitempty"`
	// Allow lists the claims that a token must have, at least one.
	Allow GitHubAllow `json:"allow"`
}

// GitHubAllow lists claims that must all match.
type GitHubAllow struct {
	// Repository is that of the workflow, as owner/name.
	// +optional
	Repository *ClaimMatch `json:"repository,omitempty"`
	// RepositoryOwner is the user or organization that has the repository.
	// +optional
	RepositoryOwner *ClaimMatch `json:"repositoryOwner,omitempty"`
	// Ref that the workflow runs for, such as refs/heads/main.
	// +optional
	Ref *ClaimMatch `json:"ref,omitempty"`
	// Workflow is the name of the workflow.
	// +optional
	Workflow *ClaimMatch `json:"workflow,omitempty"`
	// Environment that the job names.
	// +optional
	Environment *ClaimMatch `json:"environment,omitempty"`
	// JobWorkflowRef is the file of the job's workflow with its ref, which may be that of another repository.
	// +optional
	JobWorkflowRef *ClaimMatch `json:"jobWorkflowRef,omitempty"`
}

// GitLabOIDC accepts tokens of GitLab CI. Allow must not be empty.
type GitLabOIDC struct {
	// Audience that a token must be made for. Absent, it is not checked.
	// +optional
	Audience string `json:"audience,omitempty"`
	// Allow lists the claims that a token must have, at least one.
	Allow GitLabAllow `json:"allow"`
}

// GitLabAllow lists claims that must all match.
type GitLabAllow struct {
	// NamespacePath is the group or user that has the project.
	// +optional
	NamespacePath *ClaimMatch `json:"namespacePath,omitempty"`
	// RefProtected is "true" for a protected branch or tag, else "false".
	// +optional
	RefProtected *ClaimMatch `json:"refProtected,omitempty"`
	// Environment that the job names.
	// +optional
	Environment *ClaimMatch `json:"environment,omitempty"`
}

// VaultOIDC accepts identity tokens of a Vault. Allow must not be empty.
type VaultOIDC struct {
	// URL of the Vault. The issuer is <url>/v1/identity/oidc.
	URL string `json:"url"`
	// Namespace of Vault Enterprise.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Audience that a token must be made for. Absent, it is not checked.
	// +optional
	Audience string `json:"audience,omitempty"`
	// Allow lists the claims that a token must have, at least one.
	Allow VaultAllow `json:"allow"`
}

// VaultAllow lists claims that must all match.
type VaultAllow struct {
	// EntityName is the name of the entity.
	// +optional
	EntityName *ClaimMatch `json:"entityName,omitempty"`
	// EntityID is the id of the entity.
	// +optional
	EntityID *ClaimMatch `json:"entityID,omitempty"`
	// Namespace is the Vault namespace of the entity.
	// +optional
	Namespace *ClaimMatch `json:"namespace,omitempty"`
	// Allow lists claims by their own names.
	// +optional
	Allow map[string]ClaimMatch `json:"allow,omitempty"`
}

// OIDC accepts tokens of any issuer. Allow must not be empty, unless AllowAny is set.
type OIDC struct {
	// Issuer is the URL that the claim iss must be. Its keys are found by discovery below it.
	Issuer string `json:"issuer"`
	// Audience that a token must be made for. Absent, it is not checked.
	// +optional
	Audience string `json:"audience,omitempty"`
	// Allow lists claims by their own names.
	// +optional
	Allow map[string]ClaimMatch `json:"allow,omitempty"`
	// AllowAny accepts every token of the issuer. Defaults to false.
	// +optional
	AllowAny bool `json:"allowAny,omitempty"`
}

// ServiceAccountTokens accepts tokens of service accounts, which the API server verifies. Allow must not be empty.
type ServiceAccountTokens struct {
	// Audience that a token must be made for. Defaults to orkestra.
	// +optional
	Audience string `json:"audience,omitempty"`
	// Allow lists which accounts, at least by one of both.
	Allow ServiceAccountAllow `json:"allow"`
}

// DefaultAudience is that of a service account's token.
const DefaultAudience = "orkestra"

// ServiceAccountAllow lists which accounts may ask. Both must match where both are given.
type ServiceAccountAllow struct {
	// Namespace of the account.
	// +optional
	Namespace *ClaimMatch `json:"namespace,omitempty"`
	// Name of the account.
	// +optional
	Name *ClaimMatch `json:"name,omitempty"`
}

// Intake lists sources of intents. Names and paths are unique over all lists.
type Intake struct {
	// GitHub lists repositories of GitHub whose pushes are taken.
	// +optional
	GitHub []GitIntake `json:"github,omitempty"`
	// GitLab lists projects of GitLab whose pushes are taken.
	// +optional
	GitLab []GitIntake `json:"gitlab,omitempty"`
	// Slack lists apps of Slack whose slash commands are taken.
	// +optional
	Slack []SlackIntake `json:"slack,omitempty"`
	// Generic lists other senders, whose signed JSON is taken.
	// +optional
	Generic []GenericIntake `json:"generic,omitempty"`
}

// IntakeRoute is the name and the path of a source.
type IntakeRoute struct {
	// Name is its identity in serve.tokens.
	Name string `json:"name"`
	// Enabled takes deliveries. Defaults to false.
	// +optional
	Enabled bool `json:"enabled,omitempty"`
	// Path of the route, such as /webhooks/github/shop.
	Path string `json:"path"`
}

// GitIntake takes files that a push changed.
type GitIntake struct {
	IntakeRoute `json:",inline"`
	// SecretRef verifies deliveries.
	SecretRef SecretKey `json:"secretRef"`
	// ContentTokenRef reads the files.
	ContentTokenRef SecretKey `json:"contentTokenRef"`
	// Branch whose pushes count.
	Branch string `json:"branch"`
	// Watch lists globs of files. Defaults to all.
	// +optional
	Watch []string `json:"watch,omitempty"`
	// ReportStatus tells the outcome on the commit.
	// +optional
	ReportStatus bool `json:"reportStatus,omitempty"`
	// APIURL of a server of one's own. Defaults to the public one.
	// +optional
	APIURL string `json:"apiURL,omitempty"`
}

// SlackIntake takes slash commands.
type SlackIntake struct {
	IntakeRoute `json:",inline"`
	// SigningSecretRef verifies deliveries.
	SigningSecretRef SecretKey `json:"signingSecretRef"`
	// Commands that are taken.
	Commands []string `json:"commands"`
}

// GenericIntake takes signed JSON.
type GenericIntake struct {
	IntakeRoute `json:",inline"`
	// SecretRef verifies deliveries.
	SecretRef SecretKey `json:"secretRef"`
}
