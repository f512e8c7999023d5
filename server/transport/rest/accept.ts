/**
 * The media type that the client prefers, the first on a tie; undefined if it accepts none of them. By RFC 9110,
 * section 12.5.1, the most specific range that matches a type decides its weight.
 */
export function preferred<Type extends string>(accept: string | undefined, types: readonly Type[]): Type | undefined {
  if (accept === undefined || accept.trim() === "") return types[0];
  const ranges = accept.split(",").map(parseRange);
  let best: Type | undefined;
  let bestWeight = 0;
  for (const type of types) {
    const weight = weightOf(type, ranges);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best;
}

interface Range {
  readonly name: string;
  readonly weight: number;
}

function parseRange(text: string): Range {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

function weightOf(type: string, ranges: readonly Range[]): number {
  const wildcard = `${type.slice(0, type.indexOf("/"))}/*`;
  for (const name of [type, wildcard, "*/*"]) {
    const range = ranges.find((candidate) => candidate.name === name);
    if (range !== undefined) return range.weight;
  }
  return 0;
}
