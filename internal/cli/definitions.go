package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/alecthomas/kong"

	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

// configured is a command with flags. Its struct has a field for each flag, and the definitions specify the
// rest.
type configured interface{ definitions() []setting.Definition }

// definitionsOf returns the definitions of a command's flags, by name.
func definitionsOf(command *kong.Node) map[string]setting.Definition {
	all := map[string]setting.Definition{}
	if c, ok := command.Target.Addr().Interface().(configured); ok {
		for _, d := range c.definitions() {
			all[d.Name] = d
		}
	}
	return all
}

// prefixed returns the definitions of another package's settings with the names of their flags, which begin
// with prefix.
func prefixed(prefix string, all []setting.Definition) []setting.Definition {
	for i := range all {
		all[i].Name = prefix + hyphenated(all[i].Name)
	}
	return all
}

// flagged returns an error of another package with the names of its settings replaced by those of their
// flags.
func flagged(prefix string, err error) error {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok {
		return err
	}
	names := strings.Split(e.Path, ", ")
	for i, name := range names {
		names[i] = "--" + prefix + hyphenated(name)
	}
	of := *e
	of.Path = strings.Join(names, ", ")
	return &of
}

// hyphenated returns the flag name of a Go field: PersistedBytes becomes persisted-bytes.
func hyphenated(name string) string {
	var out strings.Builder
	lower := false // whether the previous rune is lower case
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			out.WriteByte('-')
		}
		lower = unicode.IsLower(r)
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// define completes the flags of all commands with their definitions. It fails if a flag has no definition, or
// a definition has no flag.
func define(k *kong.Kong) error {
	for _, command := range k.Model.Leaves(false) {
		all := definitionsOf(command)
		for _, f := range command.Flags {
			d, ok := all[f.Name]
			if !ok {
				return fmt.Errorf("the flag --%s of %s has no definition", f.Name, command.Name)
			}
			delete(all, f.Name)
			f.Help, f.PlaceHolder, f.Hidden = d.Summary(), placeholder(d), d.Rare
			if d.Default != nil {
				f.Default, f.HasDefault = setting.Text(d.Default), true
			}
		}
		for name := range all {
			return fmt.Errorf("the definition %s of %s has no flag", name, command.Name)
		}
	}
	return nil
}

func placeholder(d setting.Definition) string {
	if _, ok := d.Max.(time.Duration); ok {
		return "TIME"
	} else if d.Max != nil {
		return "N"
	}
	return d.Placeholder
}

// checkValues validates the values of the flags of the chosen command.
func checkValues(k *kong.Context) error {
	command := k.Selected()
	if command == nil {
		return nil
	}
	all := definitionsOf(command)
	for _, f := range command.Flags {
		if err := checkFlag(all[f.Name], f, sourceName(k, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

// checkFlag validates the value of a flag. name is the name of the flag or its variable, for the error.
func checkFlag(d setting.Definition, f *kong.Flag, name string) error {
	d.Name = name
	return d.Check(f.Target.Interface())
}

const whereRare = "Rarely needed settings are listed by `issuegrid settings` and in docs/limits.md."

// printHelp prints the help of a command, and where to find the settings that it omits.
func printHelp(o kong.HelpOptions, k *kong.Context) error {
	if err := kong.DefaultHelpPrinter(o, k); err != nil {
		return err
	}
	rare := func(f *kong.Flag) bool { return f.Hidden }
	if command := k.Selected(); command == nil || !slices.ContainsFunc(command.Flags, rare) {
		return nil
	}
	_, err := fmt.Fprintln(k.Stdout, "\n"+whereRare)
	return err
}
