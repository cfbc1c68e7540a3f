// Package controllers turns the rendered declarations of a Block into the objects that a resource owns.
//
// It owns the contract that every kind of child fulfils (Kind, made from a Spec), the order in which kinds are written
// (Registry), and what all children have in common: names, labels, the owner annotation and the owner reference. The
// kinds themselves live in the packages below, named after their API groups; package builtin lists them all.
//
// It renders no template, evaluates no condition and talks to no cluster: a declaration comes in rendered, an object goes
// out that holds exactly the fields that the declaration sets, so that applying it owns nothing else.
package controllers
