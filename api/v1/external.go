package v1

// ExternalCall reads something outside the cluster. Its result is .external.<name> in templates and conditions.
type ExternalCall struct {
	Conditions `json:",inline"`
	// Name is a camelCase identifier, unique in its list.
	Name string `json:"name"`
	// Protocol defaults to http.
	// +optional
	Protocol Protocol `json:"protocol,omitempty"`
	// URL of what is asked.
	URL Template `json:"url"`
	// Query is what is asked, of every protocol but http.
	// +optional
	Query Template `json:"query,omitempty"`
	// Args are what the placeholders of a statement stand for, or more words of a command: protocols postgres and redis.
	// +optional
	Args []Template `json:"args,omitempty"`
	// Method defaults to GET.
	// +optional
	Method string `json:"method,omitempty"`
	// Body is sent as JSON.
	// +optional
	Body Template `json:"body,omitempty"`
	// Headers of an HTTP request, by name.
	// +optional
	Headers map[string]Template `json:"headers,omitempty"`
	// Auth is the credential: of an HTTP request, or the password of the user that the URL names.
	// +optional
	Auth *CallAuth `json:"auth,omitempty"`
	// Timeout defaults to 10s.
	// +optional
	Timeout *Duration `json:"timeout,omitempty"`
	// ExpectedStatus of the answer. Defaults to any 2xx.
	// +optional
	ExpectedStatus int32 `json:"expectedStatus,omitempty"`
	// ContinueOnError lets the reconcile go on when the call fails. Defaults to false.
	// +optional
	ContinueOnError bool `json:"continueOnError,omitempty"`
	// CacheFor keeps a good answer. Absent, nothing is kept.
	// +optional
	CacheFor *Duration `json:"cacheFor,omitempty"`
	// PoolSize is how many connections are kept to one server, by protocols that keep some. Defaults to 2.
	// +optional
	// +kubebuilder:validation:Minimum=1
	PoolSize *int32 `json:"poolSize,omitempty"`
	// RetryBackoff spaces the tries of a call that fails. Absent, there is one.
	// +optional
	RetryBackoff *RetryBackoff `json:"retryBackoff,omitempty"`
	// Fires tells whether a call of an admission block is made in each cycle as well.
	// +optional
	Fires *Fires `json:"fires,omitempty"`
	// Sleep delays the call, for tests.
	// +optional
	Sleep *Duration `json:"sleep,omitempty"`
}

// Protocol of an external call.
//
// +kubebuilder:validation:Enum=http;prometheus;redis;postgres;mongo;kafka
type Protocol string

// The protocols of external calls.
const (
	ProtocolHTTP       Protocol = "http"
	ProtocolPrometheus Protocol = "prometheus"
	ProtocolRedis      Protocol = "redis"
	ProtocolPostgres   Protocol = "postgres"
	ProtocolMongo      Protocol = "mongo"
	ProtocolKafka      Protocol = "kafka"
)

// Fires tells when a rule or call of an admission block runs.
type Fires struct {
	// Reconcile false leaves it to admission alone. Defaults to true.
	// +optional
	Reconcile *bool `json:"reconcile,omitempty"`
}

// CallAuth is a credential. Exactly one of SecretRef and Env is set.
type CallAuth struct {
	// SecretRef is the key of a Secret that holds the credential.
	// +optional
	SecretRef *SecretKey `json:"secretRef,omitempty"`
	// Env is the name of a variable of the operator's environment.
	// +optional
	Env string `json:"env,omitempty"`
	// Header defaults to Authorization, where the credential is sent as a bearer token.
	// +optional
	Header string `json:"header,omitempty"`
}

// SecretKey is one key of a Secret.
type SecretKey struct {
	// Name of the Secret.
	Name string `json:"name"`
	// Namespace defaults to the operator's own.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Key in the data of the Secret.
	Key string `json:"key"`
}

// CrossRead makes another custom resource readable as .cross.<as>. Exactly one of CRD and LabelSelector is set.
type CrossRead struct {
	// CRD is the name of an entry of a Katalog.
	// +optional
	CRD string `json:"crd,omitempty"`
	// LabelSelector finds the entry by its own label selector.
	// +optional
	LabelSelector map[string]string `json:"labelSelector,omitempty"`
	// Selector finds the resource. Absent, it is the one with this resource's name and namespace.
	// +optional
	Selector *CrossSelector `json:"selector,omitempty"`
	// As is its name in templates. Defaults to CRD.
	// +optional
	As string `json:"as,omitempty"`
	// Strategy is first (the default) or all.
	// +optional
	Strategy CrossStrategy `json:"strategy,omitempty"`
	// Source is where to ask when this operator does not know the resource.
	// +optional
	Source *CrossSource `json:"source,omitempty"`
}

// CrossStrategy tells what a cross read does with several resources.
//
// +kubebuilder:validation:Enum=first;all
type CrossStrategy string

// The strategies of a cross read.
const (
	// CrossFirst takes the oldest, among equals the first by name.
	CrossFirst CrossStrategy = "first"
	// CrossAll gives a list.
	CrossAll CrossStrategy = "all"
)

// CrossSelector finds a resource by name or by labels.
type CrossSelector struct {
	// Name of the resource.
	// +optional
	Name Template `json:"name,omitempty"`
	// Namespace defaults to the reading resource's.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
	// MatchLabels must all match.
	// +optional
	MatchLabels map[string]Template `json:"matchLabels,omitempty"`
}

// CrossSource is another operator's live API.
type CrossSource struct {
	// Endpoint is a whole URL and wins over Host.
	// +optional
	Endpoint Template `json:"endpoint,omitempty"`
	// Host is the URL that the path of Protocol is put after.
	// +optional
	Host Template `json:"host,omitempty"`
	// Protocol is what to read. Defaults to cr.
	// +optional
	Protocol CrossProtocol `json:"protocol,omitempty"`
	// Namespace defaults to the selector's.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
	// Auth is the bearer token of the request.
	// +optional
	Auth *CrossAuth `json:"auth,omitempty"`
	// CacheFor defaults to 30s.
	// +optional
	CacheFor *Duration `json:"cacheFor,omitempty"`
}

// CrossProtocol is what to read from another operator.
//
// +kubebuilder:validation:Enum=cr;health;metrics;info;events
type CrossProtocol string

// What can be read from another operator.
const (
	CrossProtocolCR      CrossProtocol = "cr"
	CrossProtocolHealth  CrossProtocol = "health"
	CrossProtocolMetrics CrossProtocol = "metrics"
	CrossProtocolInfo    CrossProtocol = "info"
	CrossProtocolEvents  CrossProtocol = "events"
)

// CrossAuth is a bearer token. Exactly one field is set.
type CrossAuth struct {
	// Token may name an environment variable as $NAME.
	// +optional
	Token string `json:"token,omitempty"`
	// SecretRef is the key of a Secret that holds the token.
	// +optional
	SecretRef *SecretKey `json:"secretRef,omitempty"`
}

// Git fetches a repository. Its result is .git in templates and conditions.
type Git struct {
	Conditions `json:",inline"`
	// Repo is the URL of the repository.
	Repo Template `json:"repo"`
	// Branch defaults to main.
	// +optional
	Branch Template `json:"branch,omitempty"`
	// Path counts only commits that touch it.
	// +optional
	Path Template `json:"path,omitempty"`
	// Auth is the credential of the repository. Absent, it is read without one.
	// +optional
	Auth *GitAuth `json:"auth,omitempty"`
	// Reconcile fetches in each cycle, as onReconcile always does. False, in onCreate, fetches only until a commit is recorded.
	// +optional
	Reconcile bool `json:"reconcile,omitempty"`
	// ContinueOnError lets the reconcile go on when the fetch fails. Defaults to false.
	// +optional
	ContinueOnError bool `json:"continueOnError,omitempty"`
}

// GitAuth is the credential of a repository. Exactly one of SecretRef and Env is set.
type GitAuth struct {
	// SecretRef names a Secret of the type kubernetes.io/basic-auth, or kubernetes.io/ssh-auth with known_hosts beside the key, or one with
	// the key token.
	// +optional
	SecretRef *SecretName `json:"secretRef,omitempty"`
	// Env is the name of a variable of the operator's environment that holds a token.
	// +optional
	Env string `json:"env,omitempty"`
}

// SecretName is a whole Secret.
type SecretName struct {
	// Name of the Secret.
	Name string `json:"name"`
	// Namespace defaults to the operator's own.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// Docker builds an image. Its result is .docker in templates and conditions.
type Docker struct {
	Conditions `json:",inline"`
	// Image is the name of the image to build, with its tag.
	Image Template `json:"image"`
	// WorkingDirectory is the folder that is built: of the repository that git fetched or, without git, below the operator's folder for
	// builds. Defaults to the whole of it.
	// +optional
	WorkingDirectory Template `json:"workingDirectory,omitempty"`
	// Dockerfile in the folder that is built. Defaults to Dockerfile.
	// +optional
	Dockerfile Template `json:"dockerfile,omitempty"`
	// Push sends the image to its registry.
	// +optional
	Push bool `json:"push,omitempty"`
	// PullSecret holds the credentials of registries, for what the image is made from and for Push.
	// +optional
	PullSecret *PullSecret `json:"pullSecret,omitempty"`
	// Builder defaults to what the operator has.
	// +optional
	Builder DockerBuilder `json:"builder,omitempty"`
	// Reconcile builds anew when what is built from changes. False builds each name of an image once.
	// +optional
	Reconcile bool `json:"reconcile,omitempty"`
	// ContinueOnError lets the reconcile go on when the build fails. Defaults to false.
	// +optional
	ContinueOnError bool `json:"continueOnError,omitempty"`
}

// PullSecret is a Secret of the type kubernetes.io/dockerconfigjson.
type PullSecret struct {
	// Name of the Secret.
	Name string `json:"name"`
	// Namespace defaults to the operator's own.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// DockerBuilder builds images.
//
// +kubebuilder:validation:Enum=buildkit;docker;podman;kaniko;buildah
type DockerBuilder string

// The builders of images. The last two are known, and refused: both are programs that would have to be started.
const (
	BuilderBuildKit DockerBuilder = "buildkit"
	BuilderDocker   DockerBuilder = "docker"
	BuilderPodman   DockerBuilder = "podman"
	BuilderKaniko   DockerBuilder = "kaniko"
	BuilderBuildah  DockerBuilder = "buildah"
)
