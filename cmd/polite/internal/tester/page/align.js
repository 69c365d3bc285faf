// align returns the pairs of lines that two texts share, by their indices and in the order of both:
// what the texts begin and end with, the lines that occur once in each, and what stands around
// these.
export function align(ours, theirs) {
  const pairs = [];
  let from = { a: 0, b: 0 };
  for (const anchor of [...anchors(ours, theirs), { a: ours.length, b: theirs.length }]) {
    let { a, b } = from;
    while (a < anchor.a && b < anchor.b && ours[a] === theirs[b]) pairs.push([a++, b++]);
    let same = 0;
    while (anchor.a - same > a && anchor.b - same > b && ours[anchor.a - same - 1] === theirs[anchor.b - same - 1]) same++;
    for (; same > 0; same--) pairs.push([anchor.a - same, anchor.b - same]);
    if (anchor.a < ours.length && anchor.b < theirs.length) pairs.push([anchor.a, anchor.b]);
    from = { a: anchor.a + 1, b: anchor.b + 1 };
  }
  return pairs;
}

// anchors returns the longest row of lines that occur once in each text, in the order of both.
function anchors(ours, theirs) {
  const places = once(theirs), ends = []; // of the best row of each length so far
  for (const [line, a] of once(ours)) {
    const b = places.get(line);
    if (b === undefined) continue;
    let low = 0, high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle].b < b) low = middle + 1;
      else high = middle;
    }
    ends[low] = { a, b, before: ends[low - 1] };
  }
  const row = [];
  for (let end = ends.at(-1); end; end = end.before) row.push(end);
  return row.reverse();
}

// once returns the lines that occur once, with their indices.
function once(lines) {
  const places = new Map();
  lines.forEach((line, i) => places.set(line, places.has(line) ? -1 : i));
  for (const [line, i] of places) if (i < 0) places.delete(line);
  return places;
}
