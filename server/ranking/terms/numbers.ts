/**
 * One term for a number with separators, the same however it is written: `1,234.50`, `1.234,5` and `1234.5` become
 * `1234d5`, `1,234` and `1.234` become `1234`. What is no such number, as `3.1.2` or `10.0.0.1`, keeps its parts in one.
 */
export function numberTerm(number: string): string {
  const groups = number.split(/[.,'’]/);
  const separators = [...number.matchAll(/[.,'’]/g)].map(([separator]) => separator);
  const [wholes, fraction] = [groups.slice(0, -1), groups.at(-1) ?? ""];
  if (areThousands(groups) && areAlike(separators)) return groups.join("");
  const [before, point] = [separators.slice(0, -1), separators.at(-1) ?? ""];
  if (!areThousands(wholes) || !areAlike(before) || before.includes(point)) return groups.join("d");
  const digits = fraction.replace(/0+$/, "");
  return digits === "" ? wholes.join("") : `${wholes.join("")}d${digits}`;
}

/** Groups of three digits, of which only the first may be shorter, or all in one group. */
const areThousands = ([first = "", ...others]: readonly string[]): boolean =>
  others.length === 0 || (first.length <= 3 && others.every(({ length }) => length === 3));

const areAlike = (separators: readonly string[]): boolean => new Set(separators).size < 2;
