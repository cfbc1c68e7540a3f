package cel

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	"k8s.io/apiserver/pkg/cel/library"
)

const (
	// maxExpression is the length of the longest expression, in characters.
	maxExpression = 10_000
	// maxRange is the length of the longest list that lists.range makes.
	maxRange = 10_000
	// maxPrecision bounds the digits that format prints.
	maxPrecision = 100
)

// libraries is the environment that all others extend: the language and its functions, without a variable. Versions are
// those that Kubernetes has switched on, so that an expression can move between a CRD, a policy and a Katalog. math is
// ours.
var libraries = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.EnableMacroCallTracking(),
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		cel.ASTValidators(
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateHomogeneousAggregateLiterals(),
		),
		cel.OptionalTypes(),
		ext.Strings(ext.StringsVersion(2), ext.StringsMaxPrecision(maxPrecision)),
		ext.Sets(),
		ext.Lists(ext.ListsVersion(3), ext.ListsMaxRangeSize(maxRange)),
		ext.Math(),
		ext.TwoVarComprehensions(),
		library.URLs(),
		library.Regex(),
		library.Quantity(),
		library.IP(),
		library.CIDR(),
		library.Format(),
		library.SemverLib(library.SemverVersion(1)),
		library.Lists(library.ListsVersion(1)),
	)
})
