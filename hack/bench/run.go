package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/orkestra-runtime/orkestra/envtest"
)

// run is the command: it measures, prints the table to stdout and writes the file of figures. Progress goes to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseOptions(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	out, err := os.OpenFile(o.out, os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // figures are for everybody
	if err != nil {
		return fmt.Errorf("open the file for the figures: %w", err)
	}
	defer func() { _ = out.Close() }()
	r := report{
		Machine: describeMachine(),
		Settings: settings{
			Started: time.Now().UTC().Truncate(time.Second), Rounds: o.rounds, Workers: o.workers, Creators: creators,
			IdleSeconds: o.idle.Seconds(),
		},
	}
	if err := measureAll(ctx, o, &r, stderr); err != nil {
		return err
	}
	r.compare(o.sizes)
	if err := writeFigures(out, r); err != nil {
		return err
	}
	return printTable(stdout, r, o.sizes, o.operators)
}

// writeFigures replaces what an earlier run left in the file.
func writeFigures(out *os.File, r report) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the figures: %w", err)
	}
	if err := out.Truncate(0); err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	if _, err := out.Write(append(content, '\n')); err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	return nil
}

// measureAll measures every operator at every size in every round, then what a gateway adds, and then what many children cost us. All share one control plane, so
// that none has a better one.
func measureAll(ctx context.Context, o options, r *report, progress io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "orkestra-bench-")
	if err != nil {
		return fmt.Errorf("make a folder for the run: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	logs, err := logFolder(o, dir)
	if err != nil {
		return err
	}
	env, err := startControlPlane(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Stop()) }()
	c, err := connect(ctx, env.Config())
	if err != nil {
		return err
	}

	b := &bench{cluster: c, logs: logs, progress: progress}
	b.sayf("control plane is up, building the operators")
	operators, err := buildOperators(ctx, dir, env.Kubeconfig(), o)
	if err != nil {
		return err
	}
	if r.Operators, err = b.measureSizes(ctx, operators, o); err != nil || !slices.Contains(o.operators, ours) {
		return err
	}
	if o.admission > 0 {
		if r.Admission, err = b.measureAdmission(ctx, env.Config(), o); err != nil {
			return fmt.Errorf("measure admission: %w", err)
		}
		b.sayf("%s", r.Admission)
	}
	if o.many == 0 {
		return nil
	}
	many, err := withMany(operators, dir, env.Kubeconfig(), o.workers)
	if err != nil {
		return err
	}
	if r.Memory, err = b.measureMemory(ctx, many, o.many); err == nil {
		b.sayf("%s", r.Memory)
	}
	return err
}

func (b *bench) measureSizes(ctx context.Context, operators []operator, o options) (map[string]map[string]summary, error) {
	all := map[string]map[string]summary{}
	for _, size := range o.sizes {
		rounds, err := b.measureSize(ctx, operators, size, o)
		if err != nil {
			return nil, err
		}
		for name, figures := range rounds {
			if all[name] == nil {
				all[name] = map[string]summary{}
			}
			all[name][strconv.Itoa(size)] = summarize(figures, size, o.idle)
		}
	}
	return all, nil
}

// measureSize measures every operator in every round and returns the figures of the rounds by operator.
func (b *bench) measureSize(ctx context.Context, operators []operator, size int, o options) (map[string][]figures, error) {
	all := map[string][]figures{}
	for round := range o.rounds {
		extra := extras{restart: round == 0}
		if round == 0 && size == o.largest() {
			extra.idle = o.idle
		}
		for _, op := range inOrder(operators, round) {
			f, err := b.measure(ctx, op, size, extra)
			if err != nil {
				return nil, fmt.Errorf("measure %s with %d Websites: %w", op.name, size, err)
			}
			b.sayf("%4d Websites, round %d of %d, %-14s  %s", size, round+1, o.rounds, op.name, f.brief(size))
			all[op.name] = append(all[op.name], f)
		}
	}
	return all, nil
}

func startControlPlane(ctx context.Context, dir string) (*envtest.Environment, error) {
	crd := filepath.Join(dir, "crd.yaml")
	if err := os.WriteFile(crd, crdFile, 0o600); err != nil {
		return nil, fmt.Errorf("write the CRD: %w", err)
	}
	env, err := envtest.Start(ctx, envtest.Options{CRDPaths: []string{crd}})
	if err != nil {
		return nil, err
	}
	return env, nil
}

// logFolder is where the operators' logs go: the one that was asked for, else the temporary one.
func logFolder(o options, dir string) (string, error) {
	if o.logs == "" {
		return dir, nil
	}
	if err := os.MkdirAll(o.logs, 0o750); err != nil {
		return "", fmt.Errorf("make the folder of logs: %w", err)
	}
	return o.logs, nil
}
