package reconciler

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	openapi "k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
)

// shapes checks values of status fields by all that the schema says of them: patterns, bounds, lengths, fields that must be there. It does
// so with the code of the API server, and leaves out only rules in CEL and the keys of lists. What is made of the schema for a field
// is made once.
type shapes struct {
	at func(path []string) *roots.Props

	mu   sync.Mutex // guards made
	made map[string]*validate.SchemaValidator
}

// check tells what the schema has against a value at a path below status; it has nothing against nil, which is no field.
func (s *shapes) check(path []string, value any) error {
	if value == nil {
		return nil
	}
	validator, err := s.of(path)
	if validator == nil || err != nil {
		return err
	}
	found := validator.Validate(value)
	texts := make([]string, 0, len(found.Errors))
	for _, err := range found.Errors {
		// The texts begin with the path within the value, which is empty for the value itself.
		said := strings.TrimSpace(strings.ReplaceAll(err.Error(), " in body", ""))
		texts = append(texts, strings.TrimPrefix(said, "."))
	}
	slices.Sort(texts) // they come in the order of a map
	var errs []error
	for _, text := range slices.Compact(texts) {
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// of is what checks a field, nil for one without a schema.
func (s *shapes) of(path []string) (*validate.SchemaValidator, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.Join(path, "\x00")
	if validator, ok := s.made[key]; ok {
		return validator, nil
	}
	validator, err := validatorOf(s.at(path))
	if err != nil {
		return nil, err
	}
	s.made[key] = validator
	return validator, nil
}

func validatorOf(props *roots.Props) (*validate.SchemaValidator, error) {
	if props == nil {
		return nil, nil //nolint:nilnil // nothing is said of the field
	}
	written, err := json.Marshal(props)
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	read := &openapi.Schema{}
	if err := json.Unmarshal(written, read); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return validate.NewSchemaValidator(read, nil, "", strfmt.Default), nil
}
