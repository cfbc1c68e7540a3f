package servers

import (
	"os"
	"path/filepath"
	"syscall"
)

// S3 is a versitygw over a folder, which speaks S3 and checks signatures. Buckets are in paths, not in host names.
type S3 struct {
	*process
	// Address is host:port, URL the endpoint.
	Address, URL string
	// Region is the one that requests are signed for.
	Region string
	// AccessKeyID and SecretAccessKey are the administrator's.
	AccessKeyID, SecretAccessKey string
}

// StartS3 starts a versitygw without buckets.
func StartS3(t T) *S3 {
	t.Helper()
	address, dir := local(reserve(t)), folder(t, "s3")
	s := &S3{
		Address: address, URL: "http://" + address, Region: "us-east-1",
		AccessKeyID: "suite-access", SecretAccessKey: "suite-secret",
	}
	data, versions, users := filepath.Join(dir, "data"), filepath.Join(dir, "versions"), filepath.Join(dir, "users")
	for _, one := range []string{data, versions, users} {
		if err := os.Mkdir(one, 0o700); err != nil {
			t.Fatalf("make a folder of S3: %v", err)
		}
	}
	s.process = &process{
		t: t, binary: built(t, "versitygw"), dir: dir, quit: syscall.SIGTERM, ready: listens(address),
		env: []string{"ROOT_ACCESS_KEY=" + s.AccessKeyID, "ROOT_SECRET_KEY=" + s.SecretAccessKey},
		args: []string{
			"--port", address, "--region", s.Region, "--iam-dir", users, "posix", "--versioning-dir", versions, data,
		},
	}
	s.launch()
	return s
}
