package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// row is a line of the table: a name, and the text of each operator.
type row struct {
	name string
	cell func(summary) string
}

// printTable writes one table for each size, with a column for each operator.
func printTable(out io.Writer, r report, sizes []int, operators []string) error {
	for _, size := range sizes {
		key := strconv.Itoa(size)
		heads := []string{""}
		var columns []summary
		for _, name := range operators {
			if column, ok := r.Operators[name][key]; ok {
				heads, columns = append(heads, name), append(columns, column)
			}
		}
		if _, err := fmt.Fprintf(out, "%d Websites, %d workers: median of %d rounds, and from least to most\n\n",
			size, r.Settings.Workers, r.Settings.Rounds); err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
		table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
		line := func(cells []string) { _, _ = fmt.Fprintln(table, strings.Join(cells, "\t")) }
		line(heads)
		for _, row := range rows(columns) {
			cells := []string{row.name}
			for _, column := range columns {
				cells = append(cells, row.cell(column))
			}
			line(cells)
		}
		if err := table.Flush(); err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
		if _, err := fmt.Fprintln(out, "\n"+verdict(r, key)); err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
	}
	if r.Admission != nil {
		if _, err := fmt.Fprintln(out, r.Admission); err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
	}
	if r.Memory != nil {
		if _, err := fmt.Fprintln(out, r.Memory); err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
	}
	return nil
}

// rows are the lines for these columns. What no column has is left out.
func rows(columns []summary) []row {
	rows := []row{
		{"converge", func(s summary) string { return ranged(s.ConvergeSeconds, "%.2f", " s") }},
		{"Website to children, p50", func(s summary) string { return ranged(s.LatencyP50Seconds, "%.3f", " s") }},
		{"Website to children, p99", func(s summary) string { return ranged(s.LatencyP99Seconds, "%.3f", " s") }},
		{"CPU", func(s summary) string { return ranged(s.CPUSeconds, "%.2f", " s") }},
		{"peak RSS", func(s summary) string { return ranged(s.PeakRSSMB, "%.0f", " MB") }},
		{"repair of a child", func(s summary) string { return ranged(s.RepairSeconds, "%.3f", " s") }},
		{"requests per Website", func(s summary) string { return ranged(s.RequestsPerCR, "%.2f", "") }},
	}
	kinds := map[string]bool{}
	idle, restart := false, false
	for _, column := range columns {
		for kind := range column.RequestsPerCRByKind {
			kinds[kind] = true
		}
		idle = idle || column.IdleRequestsPerMinute != nil
		restart = restart || column.RestartWrites != nil
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		rows = append(rows, row{"  " + kind, func(s summary) string {
			if s.RequestsPerCRByKind[kind].Max == 0 {
				return "-"
			}
			return ranged(s.RequestsPerCRByKind[kind], "%.2f", "")
		}})
	}
	rows = append(rows, row{"lists and ended watches", func(s summary) string { return ranged(s.ListsAndWatches, "%.0f", "") }})
	if idle {
		rows = append(rows, row{"idle requests per minute", func(s summary) string { return optional(s.IdleRequestsPerMinute) }})
	}
	if restart {
		rows = append(rows, row{"writes after a restart", func(s summary) string { return optional(s.RestartWrites) }})
	}
	return rows
}

// ranged shows a median and, if the rounds differ in what is shown, the least and the most.
func ranged(s spread, format, unit string) string {
	lowest, highest := fmt.Sprintf(format, s.Min), fmt.Sprintf(format, s.Max)
	text := fmt.Sprintf(format, s.Median)
	if lowest != highest {
		text += " (" + lowest + "-" + highest + ")"
	}
	return text + unit
}

func optional[T int | float64](value *T) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprint(*value)
}

// verdict is the line below a table.
func verdict(r report, size string) string {
	ratios, ok := r.Ratios[size]
	if !ok {
		return "no comparison: not all three operators were measured\n"
	}
	return fmt.Sprintf("ours takes %.2f times as long as the faster of the others, %.2f times the CPU of %s, and %+.0f MB more than the larger\n",
		ratios.Converge, ratios.CPU, serverSide, ratios.RSSOverMB)
}
