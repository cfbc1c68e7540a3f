package reconciler

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// stage is where a deletion stands, as the annotation orkv1.AnnotationDeletion keeps it over cycles and restarts.
type stage struct {
	// index of the stage among of all. As many as there are: all are over.
	index, of int
	// since is when the wait for it began. Zero: it has not.
	since time.Time
}

// stageOf reads the annotation. What nobody can read, or is of another number of stages, is a deletion from the start.
func stageOf(annotations map[string]string, of int) stage {
	start := stage{of: of}
	place, since, found := strings.Cut(annotations[orkv1.AnnotationDeletion], " ")
	if !found {
		return start
	}
	number, total, _ := strings.Cut(place, "/")
	at, err := strconv.Atoi(number)
	if number == over {
		at, err = of+1, nil
	}
	if err != nil || total != strconv.Itoa(of) || at < 1 || at > of && number != over {
		return start
	}
	began, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return start
	}
	return stage{index: at - 1, of: of, since: began}
}

// String is the annotation.
func (s stage) String() string {
	number := strconv.Itoa(s.index + 1)
	if s.over() {
		number = over
	}
	return fmt.Sprintf("%s/%d %s", number, s.of, s.since.UTC().Format(time.RFC3339))
}

// over stands in place of a number when all stages are.
const over = "over"

func (s stage) over() bool { return s.index == s.of }

// late tells whether the stage has taken longer than it may.
func (s stage) late(now time.Time, timeout time.Duration) bool {
	return !s.since.IsZero() && !now.Before(s.since.Add(timeout))
}

// title names a stage in messages. Stages that are not ordered have no name: there is one.
func title(onDelete *box.Deletion, i int) string {
	if !onDelete.Ordered {
		return ""
	}
	name := onDelete.Stages[i].Title
	if name != "" {
		name = " (" + name + ")"
	}
	return fmt.Sprintf("stage %d of %d%s: ", i+1, len(onDelete.Stages), name)
}

// keepOver remembers that all stages are over: their calls must not be made again while something else is waited for.
func (d *Declarative) keepOver(ctx context.Context, s *scope) error {
	if !s.stagesOver {
		return nil
	}
	of := len(s.Box.OnDelete.Stages)
	_, err := d.keepStage(ctx, s, stageOf(s.Object.GetAnnotations(), of), stage{index: of, of: of})
	return err
}

// keepStage remembers that the deletion waits for a stage, unless it is known.
func (d *Declarative) keepStage(ctx context.Context, s *scope, known, at stage) (stage, error) {
	if at.index == known.index && !known.since.IsZero() {
		return known, nil
	}
	at.since = d.Now().Truncate(time.Second)
	return at, d.patchMetadata(ctx, s, map[string]any{"annotations": map[string]any{orkv1.AnnotationDeletion: at.String()}})
}
