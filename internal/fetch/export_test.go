package fetch

var Clip = clip

// Logger returns where c tells of its requests.
func (c *Client) Logger() any { return c.http.Logger }
