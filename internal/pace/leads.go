package pace

import "time"

// Lead returns how long before its start a request goes to the transport in a lane of which
// nothing is known yet.
func (p *Pacer[K]) Lead() time.Duration {
	long, _, _ := p.leads.now()
	return long
}
