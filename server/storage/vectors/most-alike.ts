/**
 * The places of the `count` largest values, and of those that are as large as the last of them; of all places, or of some. Values are
 * counted, since there are 65,536 of them at most.
 */
export function mostAlike(values: Uint16Array, count: number, places?: Uint32Array): Uint32Array {
  const some = places === undefined ? values : valuesAt(values, places);
  counts.fill(0);
  for (let at = 0; at < some.length; at++) {
    const value = some[at] ?? 0;
    counts[value] = (counts[value] ?? 0) + 1;
  }
  let least = counts.length - 1;
  let found = counts[least] ?? 0;
  while (found < count && least > 0) found += counts[--least] ?? 0;
  const alike = new Uint32Array(found);
  let next = 0;
  for (let at = 0; at < some.length; at++) if ((some[at] ?? 0) >= least) alike[next++] = at;
  return places === undefined ? alike : alike.map((at) => places[at] ?? 0);
}

/** By value. Kept, since what is made for a question has to be collected after it. */
const counts = new Uint32Array(2 ** 16);

/** As a loop, which takes a tenth of what `Uint16Array.from` does. */
function valuesAt(values: Uint16Array, places: Uint32Array): Uint16Array {
  const some = new Uint16Array(places.length);
  for (let at = 0; at < some.length; at++) some[at] = values[places[at] ?? 0] ?? 0;
  return some;
}
