package notes

func workloadFamily() []Function {
	text := func(name, doc, example, result string, code func(any) string) Function {
		return Function{Name: name, Signature: "obj", Result: "text", Doc: doc, Code: code, Examples: []Example{{example, result}}}
	}
	number := func(name, needs, doc, example, result string, code func(any) int64) Function {
		return Function{Name: name, Signature: "obj", Result: "number", Needs: needs, Doc: doc, Code: code, Examples: []Example{{example, result}}}
	}
	return []Function{
		text("statefulSetCurrentRevision", "`status.currentRevision`", "{{ statefulSetCurrentRevision .children.statefulset }}", "shop-db-6c4",
			func(obj any) string { return textAt(obj, "status", "currentRevision") }),
		text("statefulSetUpdateRevision", "`status.updateRevision`", "{{ statefulSetUpdateRevision .children.statefulset }}", "shop-db-7f1",
			func(obj any) string { return textAt(obj, "status", "updateRevision") }),
		number("statefulSetPVCCount", "pvcs", "the number of its PersistentVolumeClaims", "{{ statefulSetPVCCount .children.statefulset }}", "1",
			func(obj any) int64 { return int64(len(listAt(obj, keyPVCs))) }),
		number("deploymentReplicaSetCount", "replicasets", "the number of its ReplicaSets", "{{ deploymentReplicaSetCount .children.deployment }}", "2",
			func(obj any) int64 { return int64(len(listAt(obj, keyReplicaSets))) }),
		{
			Name: "deploymentReplicaSets", Signature: "obj", Result: "list", Needs: "replicasets", Doc: "their names",
			Code:     func(obj any) []any { return textsAt(listAt(obj, keyReplicaSets), "metadata", "name") },
			Examples: []Example{{"{{ deploymentReplicaSets .children.deployment }}", `["shop-5b8c","shop-7d9f"]`}},
		},
		number("oldDeploymentReplicaSets", "replicasets", "the number of older ReplicaSets that still have Pods", "{{ oldDeploymentReplicaSets .children.deployment }}", "1", oldReplicaSets),
		text("replicaSetOwnerKind", "the kind of what owns it", "{{ replicaSetOwnerKind .children.replicaset }}", "Deployment",
			func(obj any) string { return firstText(textAt(obj, keyOwner, "kind"), textAt(ownerOf(obj), "kind")) }),
		text("replicaSetOwnerName", "the name of what owns it", "{{ replicaSetOwnerName .children.replicaset }}", "shop",
			func(obj any) string {
				return firstText(textAt(obj, keyOwner, "metadata", "name"), textAt(ownerOf(obj), "name"))
			}),
	}
}

// oldReplicaSets compares the revisions that the Deployment's controller notes on its ReplicaSets.
func oldReplicaSets(obj any) int64 {
	const revision = "deployment.kubernetes.io/revision"
	sets := listAt(obj, keyReplicaSets)
	newest := countAt(obj, "metadata", "annotations", revision)
	for _, set := range sets {
		newest = max(newest, countAt(set, "metadata", "annotations", revision))
	}
	var old int64
	for _, set := range sets {
		if countAt(set, "metadata", "annotations", revision) < newest && countAt(set, "status", "replicas") > 0 {
			old++
		}
	}
	return old
}
