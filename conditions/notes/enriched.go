package notes

// What enrich fetches is on the object that it belongs to, under keys that begin with an underscore. Objects are as the
// API server has them, as far as functions read them: a Pod without its containers, a workload without its template. Lists are
// in the order of their names, but for events. A key that is not there is an empty list or object.
//
//	target             on                      key                    value
//	pods               workload, Job           _pods                  list of Pods that it selects or owns
//	events             any                     _warnings              list of Events of the type Warning (events.k8s.io or core), newest first: its own, and those of its _pods and _replicaSets
//	endpoints, service Service                 _endpoints             list of its EndpointSlices, or of Endpoints
//	                                           _backingPods           list of Pods that it selects
//	replicasets        Deployment              _replicaSets           list of ReplicaSets that it owns
//	pvcs               StatefulSet             _pvcs                  list of PersistentVolumeClaims
//	pvc                PersistentVolumeClaim   _pv                    the PersistentVolume that it is bound to
//	storageclass       PersistentVolumeClaim   _storageClass          its StorageClass
//	hpa                HorizontalPodAutoscaler _scaleTarget           the object that it scales
//	                                           _currentMetrics        list, as status.currentMetrics
//	ingress            Ingress                 _loadBalancerIPs       list of texts
//	                                           _tlsSecrets            list of Secrets without data
//	cronjob            CronJob                 _lastJob               the Job that it started last
//	                                           _lastSuccessfulJob     the Job that succeeded last
//	node               Pod, workload           _node                  the Node of the Pod, or of its first Pod
//	owner              any                     _owner                 the object that owns it
const (
	keyPods              = "_pods"
	keyWarnings          = "_warnings"
	keyEndpoints         = "_endpoints"
	keyBackingPods       = "_backingPods"
	keyReplicaSets       = "_replicaSets"
	keyPVCs              = "_pvcs"
	keyPV                = "_pv"
	keyStorageClass      = "_storageClass"
	keyScaleTarget       = "_scaleTarget"
	keyCurrentMetrics    = "_currentMetrics"
	keyLoadBalancerIPs   = "_loadBalancerIPs"
	keyTLSSecrets        = "_tlsSecrets"
	keyLastJob           = "_lastJob"
	keyLastSuccessfulJob = "_lastSuccessfulJob"
	keyNode              = "_node"
	keyOwner             = "_owner"
)
