package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseOptions(t *testing.T) {
	defaults := options{
		sizes: []int{200, 1000}, rounds: 3, idle: time.Minute, many: 1000, admission: 20 * time.Second, workers: 3, operators: operatorNames, out: "bench.json",
	}
	change := func(f func(*options)) options {
		o := defaults
		f(&o)
		return o
	}
	cases := map[string]struct {
		reason string
		args   string
		want   options
		errs   []string
	}{
		"Defaults": {reason: "without flags it is the full run", want: defaults},
		"Sizes": {
			reason: "sizes are sorted, so that the last one is the largest, and each counts once",
			args:   "-n=50,10,50", want: change(func(o *options) { o.sizes = []int{10, 50} }),
		},
		"Quick": {
			reason: "quick overrides what makes a run long", args: "-n=5000 -rounds=9 -idle=1h -quick",
			want: change(func(o *options) {
				o.sizes, o.rounds, o.idle, o.many, o.admission = []int{quickSize}, 1, quickIdle, quickMany, quickGate
			}),
		},
		"Operators": {
			reason: "one operator can be measured alone", args: "-operators=ours -out=x -logs=y",
			want: change(func(o *options) { o.operators, o.out, o.logs = []string{ours}, "x", "y" }),
		},
		"NoSize":          {reason: "nothing to measure is a mistake", args: "-n=", errs: []string{"-n is empty"}},
		"BadSize":         {reason: "a size is a number from 1", args: "-n=10,none", errs: []string{`"none"`, "200,1000"}},
		"Argument":        {reason: "there are only flags", args: "fast", errs: []string{`"fast"`, "-help"}},
		"UnknownOperator": {reason: "the valid names are told", args: "-operators=mine", errs: []string{`"mine"`, "ours, createorupdate, apply"}},
		"OperatorTwice":   {reason: "an operator has one column", args: "-operators=ours,ours", errs: []string{"ours is named twice"}},
		"AllAtOnce": {
			reason: "every mistake is told at once", args: "-rounds=0 -idle=-1s -many=-1 -workers=51 -operators=",
			errs: []string{"-rounds is 0", "-idle is -1s", "-many is -1", "-workers is 51", "-operators is empty"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parseOptions(strings.Fields(tc.args), io.Discard)
			for _, want := range tc.errs {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("\n%s\nparseOptions(%q): want an error with %q, got %v", tc.reason, tc.args, want, err)
				}
			}
			if tc.errs != nil {
				return
			}
			if err != nil {
				t.Fatalf("\n%s\nparseOptions(%q): %v", tc.reason, tc.args, err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(options{})); diff != "" {
				t.Errorf("\n%s\nparseOptions(%q): -want, +got:\n%s", tc.reason, tc.args, diff)
			}
		})
	}
}
