package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are what a run is told.
type options struct {
	// sizes are the numbers of Websites, each a benchmark of its own, from small to large.
	sizes []int
	// rounds is how often every operator is measured at every size.
	rounds int
	// idle is how long requests are counted while there is nothing to do. It is measured at the largest size alone, in the
	// first round, as it tells of requests that should not be there and not of speed.
	idle time.Duration
	// many is the number of Websites with many children. 0: that is left out.
	many int
	// admission is how long Websites are created without and with a gateway, in each round. 0: that is left out.
	admission time.Duration
	workers   int
	operators []string
	out       string
	logs      string
}

// Settings of -quick, which shows in two minutes that everything works. Its figures mean nothing.
const (
	quickSize = 20
	quickIdle = 5 * time.Second
	quickMany = 5
	quickGate = 2 * time.Second
)

// parseOptions reads the command line. Errors name the flag and what is valid.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	var sizes, operators string
	var quick bool
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&sizes, "n", "200,1000", "numbers of Websites, separated by commas")
	flags.IntVar(&o.rounds, "rounds", 3, "how often every operator is measured at every size")
	flags.DurationVar(&o.idle, "idle", time.Minute, "how long requests are counted while there is nothing to do")
	flags.IntVar(&o.many, "many", 1000, "Websites of 20 children each, to see what a child costs in memory; 0 leaves that out")
	flags.DurationVar(&o.admission, "admission", 20*time.Second, "how long Websites are created without and with a gateway, in each round; 0 leaves that out")
	flags.IntVar(&o.workers, "workers", 3, "workers of every operator, 1 to 50")
	flags.StringVar(&operators, "operators", strings.Join(operatorNames, ","), "what is measured, separated by commas")
	flags.StringVar(&o.out, "out", "bench.json", "file for the figures")
	flags.StringVar(&o.logs, "logs", "", "keep the operators' logs in this folder")
	flags.BoolVar(&quick, "quick", false, fmt.Sprintf("a smoke test: one round of %d Websites and %s of idling", quickSize, quickIdle))
	if err := flags.Parse(args); err != nil {
		return o, fmt.Errorf("read the command line: %w", err)
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: everything is a flag, see -help", flags.Arg(0))
	}
	var err error
	if o.sizes, err = parseSizes(sizes); err != nil {
		return o, err
	}
	o.operators = split(operators)
	if quick {
		o.sizes, o.rounds, o.idle, o.many, o.admission = []int{quickSize}, 1, quickIdle, quickMany, min(o.admission, quickGate)
	}
	return o, o.validate()
}

func parseSizes(text string) ([]int, error) {
	var sizes []int
	for _, part := range split(text) {
		size, err := strconv.Atoi(part)
		if err != nil || size < 1 {
			return nil, fmt.Errorf("-n: %q is not a number of Websites: give numbers from 1, such as 200,1000", part)
		}
		sizes = append(sizes, size)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
}

// split takes a list apart at its commas and drops what is empty.
func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func (o options) validate() error {
	var errs []error
	if len(o.sizes) == 0 {
		errs = append(errs, errors.New("-n is empty: give numbers of Websites, such as 200,1000"))
	}
	if o.rounds < 1 {
		errs = append(errs, fmt.Errorf("-rounds is %d: give 1 or more", o.rounds))
	}
	if o.idle <= 0 {
		errs = append(errs, fmt.Errorf("-idle is %s: give a time, such as 60s", o.idle))
	}
	if o.many < 0 {
		errs = append(errs, fmt.Errorf("-many is %d: give 0 or more", o.many))
	}
	if o.admission < 0 || o.admission > 0 && o.admission < time.Second {
		errs = append(errs, fmt.Errorf("-admission is %s: give 1s or more, or 0", o.admission))
	}
	if o.workers < 1 || o.workers > 50 {
		errs = append(errs, fmt.Errorf("-workers is %d: give 1 to 50, which is what a Katalog takes", o.workers))
	}
	if len(o.operators) == 0 {
		errs = append(errs, fmt.Errorf("-operators is empty; valid: %s", strings.Join(operatorNames, ", ")))
	}
	for i, name := range o.operators {
		switch {
		case !slices.Contains(operatorNames, name):
			errs = append(errs, fmt.Errorf("-operators: unknown operator %q; valid: %s", name, strings.Join(operatorNames, ", ")))
		case slices.Contains(o.operators[:i], name):
			errs = append(errs, fmt.Errorf("-operators: %s is named twice", name))
		}
	}
	return errors.Join(errs...)
}

// largest is the size that the summary speaks of.
func (o options) largest() int { return o.sizes[len(o.sizes)-1] }
