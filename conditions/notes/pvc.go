package notes

func pvcFamily() []Function {
	text := func(name, needs, doc, result string, code func(any) string) Function {
		return Function{
			Name: name, Signature: "obj", Result: "text", Needs: needs, Doc: doc, Code: code,
			Examples: []Example{{"{{ " + name + " .children.pvc }}", result}},
		}
	}
	at := func(path ...string) func(any) string { return func(obj any) string { return textAt(obj, path...) } }
	return []Function{
		{
			Name: "pvcBound", Signature: "obj", Result: "bool", Code: func(obj any) bool { return textAt(obj, "status", "phase") == "Bound" }, Doc: "whether a volume is bound to the claim",
			Examples: []Example{{"{{ pvcBound .children.pvc }}", "true"}},
		},
		text("pvcPhase", "", "`status.phase`", "Bound", at("status", "phase")),
		text("pvcCapacity", "", "`status.capacity.storage`", "10Gi", at("status", "capacity", "storage")),
		text("pvcStorageClass", "", "`spec.storageClassName`", "fast", at("spec", "storageClassName")),
		{
			Name: "pvcAccessModes", Signature: "obj", Result: "list", Code: func(obj any) []any { return append([]any{}, listAt(obj, "spec", "accessModes")...) }, Doc: "`spec.accessModes`",
			Examples: []Example{{"{{ pvcAccessModes .children.pvc }}", `["ReadWriteOnce"]`}},
		},
		text("pvcProvisioner", "pvc", "what made the volume", "csi.example.com", func(obj any) string {
			return firstText(annotationOf(fieldOf(obj, keyPV), "pv.kubernetes.io/provisioned-by"), textAt(obj, keyPV, "spec", "csi", "driver"),
				annotationOf(obj, "volume.kubernetes.io/storage-provisioner"))
		}),
		text("pvcVolumeMode", "", "`Filesystem` or `Block`", "Filesystem", func(obj any) string {
			return firstText(textAt(obj, keyPV, "spec", "volumeMode"), textAt(obj, "spec", "volumeMode"))
		}),
		text("pvcStorageClassProvisioner", "storageclass", "the provisioner of the storage class", "csi.example.com", at(keyStorageClass, "provisioner")),
		text("pvcStorageClassReclaimPolicy", "storageclass", "the reclaim policy of the storage class", "Delete", at(keyStorageClass, "reclaimPolicy")),
	}
}
