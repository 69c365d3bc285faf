package markdown

// A grid says where the next cell of a table stands.
type grid struct {
	cells int            // of this row so far
	taken [mostCells]int // by column, how many further cells stand below or beside one that spans them
}

// row begins a row.
func (g *grid) row() {
	for i := g.cells; i < mostCells; i++ {
		g.taken[i] = max(0, g.taken[i]-1)
	}
	g.cells = 0
}

// place places a cell that spans so many columns and rows. It returns how many empty cells come before it.
func (g *grid) place(columns, rows int) (empty int) {
	for ; g.cells < mostCells && g.taken[g.cells] > 0; g.cells++ {
		g.taken[g.cells]--
		empty++
	}
	for i := range min(columns, mostCells-g.cells) {
		g.taken[g.cells+i] = rows - 1
		if i > 0 {
			g.taken[g.cells+i]++
		}
	}
	return empty
}
