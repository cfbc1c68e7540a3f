package box

import (
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/core"
)

// declareCertificates adds the Secrets of those Ingresses that have a certificate made to their blocks, behind the declared ones.
func declareCertificates(box *orkv1.OperatorBox) {
	blocks := []*orkv1.Block{box.OnCreate, box.OnReconcile}
	if box.Rollback != nil {
		blocks = append(blocks, box.Rollback.OnRollback)
	}
	for _, block := range blocks {
		if block == nil {
			continue
		}
		for i := range block.Ingresses {
			if secret, makes := core.IngressSecret(&block.Ingresses[i]); makes {
				block.Secrets = append(block.Secrets, secret)
			}
		}
	}
}
