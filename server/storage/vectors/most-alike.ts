/**
 * The places of the `count` largest values, and of those that are as large as the last of them; of all places, or of some. Values are
 * counted, since there are 65,536 of them at most.
 */
export function mostAlike(values: Uint16Array, count: number, places?: Uint32Array): Uint32Array {
  const counts = new Uint32Array(2 ** 16);
  const all = places?.length ?? values.length;
  for (let at = 0; at < all; at++) {
    const value = values[places === undefined ? at : (places[at] ?? 0)] ?? 0;
    counts[value] = (counts[value] ?? 0) + 1;
  }
  let least = counts.length - 1;
  let found = counts[least] ?? 0;
  while (found < count && least > 0) found += counts[--least] ?? 0;
  const alike = new Uint32Array(found);
  let next = 0;
  for (let at = 0; at < all; at++) {
    const place = places === undefined ? at : (places[at] ?? 0);
    if ((values[place] ?? 0) >= least) alike[next++] = place;
  }
  return alike;
}
