package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// A finder finds what can be changed in a file.
type finder struct {
	*source
	file      *file
	found     []*mutant
	constants map[*types.Const]*mutant // of the package
	above     []ast.Node               // the node that is visited
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) text(n ast.Node) string {
	return string(f.file.text[f.offset(n.Pos()):f.offset(n.End())])
}

// short returns text in one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > 120 {
		text = string(letters[:119]) + "…"
	}
	return text
}

// add adds a mutant of a node.
func (f *finder) add(kind string, n ast.Node, now string) *mutant {
	m := &mutant{
		kind: kind, folder: f.folder, file: f.file.name, line: f.fset.Position(n.Pos()).Line,
		was: short(f.text(n)), now: short(now), edits: make(map[string][]edit),
	}
	f.found = append(f.found, m)
	return m
}

// wrap puts text round some nodes.
func (f *finder) wrap(m *mutant, from, to token.Pos, before, after string) {
	size := int(to - from)
	m.edits[f.file.name] = append(m.edits[f.file.name],
		edit{at: f.offset(from), text: before, size: size},
		edit{at: f.offset(to), text: after, size: size, ends: true})
}

// replace puts text in the place of an operator.
func (f *finder) replace(m *mutant, at token.Pos, operator token.Token, text string) {
	m.edits[f.file.name] = append(m.edits[f.file.name], edit{at: f.offset(at), replaces: len(operator.String()), text: text})
}

// negate adds the mutant of a condition that is not the constant of one.
func (f *finder) negate(kind string, n ast.Node, condition ast.Expr) {
	if condition != nil && f.isCondition(condition) {
		m := f.add(kind, n, "!("+f.text(condition)+")")
		f.wrap(m, condition.Pos(), condition.End(), "switches.Not(#, ", ")")
	}
}

// fix adds the mutant of a node whose condition is always met, or never.
func (f *finder) fix(kind string, n, condition ast.Expr, met bool, now string) {
	if !f.isCondition(condition) {
		return
	}
	before := "(switches.Off(#) && ("
	if met {
		before = "(switches.On(#) || ("
	}
	f.wrap(f.add(kind, n, now), condition.Pos(), condition.End(), before, "))")
}

// least takes an argument out of min or max.
func (f *finder) least(n *ast.CallExpr) {
	if name := f.text(n.Fun); name != "min" && name != "max" || len(n.Args) < 2 {
		return
	}
	for i, argument := range n.Args {
		other := f.text(n.Args[(i+1)%len(n.Args)])
		f.other(f.add("least", n, "without "+f.text(argument)), argument, f.info.TypeOf(n), other)
	}
}

func (f *finder) isCondition(e ast.Expr) bool {
	t, ok := f.info.TypeOf(e).(*types.Basic)
	return ok && t.Info()&types.IsBoolean != 0 && f.info.Types[e].Value == nil
}

func isNumeric(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0 && b.Info()&types.IsUntyped == 0
}

// walk visits the nodes of a file, but for declarations, types and what is for the eye alone.
func (f *finder) walk() {
	ast.Inspect(f.file.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			f.above = f.above[:len(f.above)-1]
			return false
		case *ast.GenDecl:
			if n.Tok != token.VAR {
				return false
			}
		case *ast.FuncDecl:
			if n.Name.Name == "String" || n.Name.Name == "GoString" {
				return false
			}
		case *ast.ArrayType:
			return false
		case ast.Expr:
			if f.isCapacity(n) {
				return false
			}
		}
		f.visit(n)
		f.above = append(f.above, n)
		return true
	})
}

// parent returns the node above the one that is visited.
func (f *finder) parent() ast.Node {
	if len(f.above) == 0 {
		return nil
	}
	return f.above[len(f.above)-1]
}

// isCapacity reports whether an expression says for how much there is room: nobody sees it.
func (f *finder) isCapacity(e ast.Expr) bool {
	call, ok := f.parent().(*ast.CallExpr)
	if !ok || len(call.Args) < 2 || call.Args[len(call.Args)-1] != e {
		return false
	}
	switch f.text(call.Fun) {
	case "make":
		_, isMap := f.info.TypeOf(call).Underlying().(*types.Map)
		return isMap || len(call.Args) == 3
	case "slices.Grow":
		return true
	}
	return false
}

func (f *finder) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.negate("negate", n.Cond, n.Cond)
		f.fix("if", n.Cond, n.Cond, true, "always")
		f.fix("if", n.Cond, n.Cond, false, "never")
	case *ast.CallExpr:
		f.least(n)
	case *ast.ForStmt:
		f.negate("negate", n.Cond, n.Cond)
		f.drop(n)
	case *ast.FuncDecl:
		f.empty(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.ReturnStmt:
		f.returns(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.Ident:
		f.constant(n)
	case *ast.CaseClause:
		f.clause(n)
	case ast.Stmt:
		f.drop(n)
	}
}

// operators are the functions of switches for operators, and what these do when they are on.
var operators = map[token.Token]struct{ kind, function, other string }{
	token.LSS:  {"bound", "Less", "<="},
	token.LEQ:  {"bound", "LessOrEqual", "<"},
	token.GTR:  {"bound", "Greater", ">="},
	token.GEQ:  {"bound", "GreaterOrEqual", ">"},
	token.LAND: {"logic", "And", "||"},
	token.LOR:  {"logic", "Or", "&&"},
	token.ADD:  {"math", "Sum", "-"},
	token.SUB:  {"math", "Difference", "+"},
}

func (f *finder) binary(n *ast.BinaryExpr) {
	if n.Op == token.EQL || n.Op == token.NEQ {
		switch f.parent().(type) {
		case *ast.IfStmt, *ast.ForStmt: // which is a mutant as a whole
		default:
			f.negate("equal", n, n)
		}
		return
	}
	operator, ok := operators[n.Op]
	if !ok || f.info.Types[n].Value != nil {
		return
	}
	x, y := f.info.TypeOf(n.X), f.info.TypeOf(n.Y)
	between, end := ", ", ")"
	switch operator.kind {
	case "bound":
		ok = f.isCondition(n) && types.Identical(x, y)
	case "logic":
		ok = f.isCondition(n) && f.isCondition(n.X) && f.isCondition(n.Y)
		between, end = ", func() bool { return (", ") })"
	case "math":
		ok = isNumeric(x) && types.Identical(x, y) && isNumeric(f.info.TypeOf(n))
	}
	if ok {
		m := f.add(operator.kind, n, f.text(n.X)+" "+operator.other+" "+f.text(n.Y))
		f.wrap(m, n.Pos(), n.End(), "switches."+operator.function+"(#, ", end)
		f.replace(m, n.OpPos, n.Op, between)
	}
	if ok && operator.kind == "logic" {
		for _, part := range []ast.Expr{n.X, n.Y} {
			f.fix("part", n, part, n.Op == token.LAND, "without "+f.text(part))
		}
	}
}

// drop takes a statement out.
func (f *finder) drop(n ast.Stmt) {
	switch parent := f.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause:
	case *ast.CommClause:
		if parent.Comm == n {
			return
		}
	default:
		return
	}
	switch s := n.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || f.isForNothing(s) {
			return
		}
	case *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt, *ast.ForStmt, *ast.RangeStmt:
	case *ast.BranchStmt:
		if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
			return
		}
	case *ast.ExprStmt:
		if strings.HasPrefix(f.text(s), "panic(") {
			return
		}
	default:
		return
	}
	f.wrap(f.add("drop", n, "nothing"), n.Pos(), n.End(), "if switches.Off(#) { ", " }")
}

// empty lets a function that returns nothing do nothing.
func (f *finder) empty(n *ast.FuncDecl) {
	if n.Type.Results != nil || n.Body == nil || len(n.Body.List) < 2 { // a single statement is a mutant by itself
		return
	}
	m := f.add("empty", n.Name, n.Name.Name+" does nothing")
	at := f.offset(n.Body.Lbrace) + 1
	m.edits[f.file.name] = []edit{{at: at, text: " if switches.On(#) { return };", size: int(n.Body.End() - n.Body.Pos())}}
}

// isForNothing reports whether all of an assignment goes to _.
func (f *finder) isForNothing(s *ast.AssignStmt) bool {
	for _, to := range s.Lhs {
		if f.text(to) != "_" {
			return false
		}
	}
	return true
}

// clause takes a case out of a switch.
func (f *finder) clause(n *ast.CaseClause) {
	if len(n.Body) == 0 || n.List == nil {
		return
	}
	if len(n.List) > 1 && f.hasNoTag() {
		for _, condition := range n.List {
			f.fix("part", condition, condition, false, "never")
		}
	}
	if len(n.List) == 1 && f.isCondition(n.List[0]) && f.hasNoTag() {
		f.wrap(f.add("case", n.List[0], "never"), n.List[0].Pos(), n.List[0].End(), "switches.Off(#) && (", ")")
		return
	}
	last := n.Body[len(n.Body)-1]
	if _, ok := last.(*ast.ReturnStmt); ok && len(n.Body) == 1 {
		return // a return is a mutant by itself
	}
	m := f.add("case", n.List[0], "nothing is done")
	f.wrap(m, n.Body[0].Pos(), last.End(), "if switches.Off(#) { ", " }")
	for i := range m.edits[f.file.name] {
		m.edits[f.file.name][i].size++ // it stands round a statement that is dropped
	}
}

// hasNoTag reports whether the clause that is visited is one of "switch {".
func (f *finder) hasNoTag() bool {
	s, ok := f.above[len(f.above)-2].(*ast.SwitchStmt)
	return ok && s.Tag == nil
}

func (f *finder) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT, token.FLOAT, token.CHAR:
	default:
		return
	}
	if pair, ok := f.parent().(*ast.KeyValueExpr); ok && pair.Key == n {
		return
	}
	if now, ok := f.number(n); ok {
		m := f.add("const", n, now+" in "+f.text(f.parent()))
		f.other(m, n, f.info.TypeOf(n), now)
	}
}

// number returns another value of a number: one more if it is small, and else the double.
func (f *finder) number(n ast.Expr) (now string, ok bool) {
	of := f.info.Types[n]
	if of.Value == nil || !isNumeric(of.Type) {
		return "", false
	}
	now = f.text(n) + "*2"
	if v, ok := constant.Int64Val(constant.ToInt(of.Value)); ok {
		if literal, ok := n.(*ast.BasicLit); v < 3 && v > -3 || ok && literal.Kind == token.CHAR {
			now = f.text(n) + "+1"
		}
	}
	return now, true
}

// other takes another value of a type.
func (f *finder) other(m *mutant, n ast.Expr, kind types.Type, now string) {
	name := types.TypeString(kind, func(p *types.Package) string {
		if p == f.pkg {
			return ""
		}
		return p.Name() // if the file does not import it so, the mutant does not compile
	})
	f.wrap(m, n.Pos(), n.End(), "switches.Other["+name+"](#, ", ", "+now+")")
}

// constant changes a constant of the package wherever it is used.
func (f *finder) constant(n *ast.Ident) {
	c, ok := f.info.Uses[n].(*types.Const)
	if !ok || c.Parent() != f.pkg.Scope() {
		return
	}
	if named, ok := c.Type().(*types.Named); ok && named.Obj().Pkg() == f.pkg {
		return // one of a list
	}
	now, ok := f.number(n)
	if !ok {
		return
	}
	if f.constants[c] == nil {
		m := f.add("const", n, now)
		at := f.fset.Position(c.Pos())
		m.file, m.line = filepath.Join(f.folder, filepath.Base(at.Filename)), at.Line
		f.constants[c] = m
	}
	f.other(f.constants[c], n, f.info.TypeOf(n), now)
}
