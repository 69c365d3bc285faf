package judge

import (
	"fmt"
	"slices"

	"github.com/go-polite/polite/robots/usage"
)

// forbids returns the first statement that says no to one of the purposes, or nil.
func forbids(said usage.Statement, purposes []usage.Use) *usage.Said {
	for _, use := range purposes {
		if said.Allows(use) == usage.No {
			why, _ := said.Why(use)
			return &why
		}
	}
	return nil
}

// Usable returns an error if one of the purposes in a field cannot be one that a site names.
func Usable(field string, purposes []usage.Use) error {
	for _, use := range purposes {
		if !isUse(string(use)) {
			return fmt.Errorf("polite: %s has %.60q, which is no name of a use: write lower-case letters, digits and '-', such as usage.TrainAI", field, use)
		}
	}
	return nil
}

func isUse(s string) bool {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	return s != "" && !slices.ContainsFunc([]rune(s), other)
}
