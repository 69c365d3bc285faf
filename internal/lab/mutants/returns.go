package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// returns returns an error in the place of nil, nil in the place of an error, the contrary of a condition,
// or zeros.
func (f *finder) returns(n *ast.ReturnStmt) {
	kinds := f.resultTypes()
	if len(n.Results) == 0 || len(kinds) == 0 {
		return
	}
	if len(kinds) == len(n.Results) {
		last := len(kinds) - 1
		ends := f.isError(kinds[last])
		if ends {
			now := "nil"
			if f.text(n.Results[last]) == "nil" {
				now = "an error"
			}
			m := f.add("error", n, "return "+strings.Repeat("…, ", last)+now)
			f.wrap(m, n.Results[last].Pos(), n.Results[last].End(), "switches.Err(#, ", ")")
		}
		for i, r := range n.Results {
			if t, ok := f.info.TypeOf(kinds[i]).(*types.Basic); ok && t.Kind() == types.Bool {
				m := f.add("negate", n, "!("+f.text(r)+")")
				f.wrap(m, r.Pos(), r.End(), "switches.Not(#, ", ")")
			}
		}
		if last == 0 && (ends || f.isCondition(n.Results[0])) || f.allZero(n.Results) {
			return
		}
	}
	var zeros []string
	for _, k := range kinds {
		zeros = append(zeros, "*new("+f.text(k)+")")
	}
	m := f.add("zero", n, "return zero")
	m.edits[f.file.name] = []edit{{
		at: f.offset(n.Pos()), text: "if switches.On(#) { return " + strings.Join(zeros, ", ") + " }; ",
		size: int(n.End()-n.Pos()) + 1,
	}}
}

// resultTypes returns the types that the function returns.
func (f *finder) resultTypes() (kinds []ast.Expr) {
	var list *ast.FieldList
	for _, n := range f.above {
		switch n := n.(type) {
		case *ast.FuncDecl:
			list = n.Type.Results
		case *ast.FuncLit:
			list = n.Type.Results
		}
	}
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			kinds = append(kinds, field.Type)
		}
	}
	return kinds
}

func (f *finder) isError(e ast.Expr) bool {
	return types.Identical(f.info.TypeOf(e), types.Universe.Lookup("error").Type())
}

// allZero reports whether all that is returned is zero, as it is written.
func (f *finder) allZero(results []ast.Expr) bool {
	for _, r := range results {
		if !f.isZero(r) {
			return false
		}
	}
	return true
}

func (f *finder) isZero(e ast.Expr) bool {
	if value := f.info.Types[e].Value; value != nil {
		switch value.Kind() {
		case constant.Bool:
			return !constant.BoolVal(value)
		case constant.String:
			return constant.StringVal(value) == ""
		default:
			return constant.Sign(value) == 0
		}
	}
	if literal, ok := e.(*ast.CompositeLit); ok && f.info.Types[e].Type != nil {
		if _, ok := f.info.TypeOf(e).Underlying().(*types.Struct); ok {
			return !slices.ContainsFunc(literal.Elts, func(e ast.Expr) bool {
				if pair, ok := e.(*ast.KeyValueExpr); ok {
					e = pair.Value
				}
				return !f.isZero(e)
			})
		}
		return len(literal.Elts) == 0
	}
	return f.text(e) == "nil"
}
