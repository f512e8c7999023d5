/** Letters of a word that may be put together of two, and of the shorter of these. */
const length = { min: 9, max: 40, part: 4 };

/** What joins the parts of German compounds, and of Dutch and Scandinavian ones; see `splits`. */
const links = ["", "s", "es", "n", "en", "e", "er"];

/** Can a word be looked for by its parts? */
export const canBeCompound = (word: string): boolean =>
  word.length >= length.min && word.length <= length.max && /^\p{L}+$/u.test(word);

interface Split {
  readonly left: string;
  readonly right: string;
}

/** Where the word may divide, most even first; the same place more than once, with and without a linking element. */
function splits(word: string): readonly Split[] {
  const found: Split[] = [];
  for (let at = length.part; at <= word.length - length.part; at++) {
    for (const link of links) {
      const left = word.slice(0, at - link.length);
      if (left.length >= length.part && word.slice(0, at).endsWith(link)) found.push({ left, right: word.slice(at) });
    }
  }
  return found.toSorted((one, other) => shorter(other) - shorter(one));
}

const shorter = ({ left, right }: Split): number => Math.min(left.length, right.length);

/**
 * The two words that a compound is put together of, of those that `isKnown` knows; the most even division of several. Empty if
 * there is none. The dictionary is what is searched, as in Koehn and Knight, "Empirical Methods for Compound Splitting", 2003.
 */
export async function partsOfCompound(
  word: string,
  isKnown: (word: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const candidates = splits(word.toLowerCase());
  const ends = [...new Set(candidates.map(({ right }) => right))];
  const areKnown = await Promise.all(ends.map(isKnown));
  const known = new Set(ends.filter((_, at) => areKnown[at]));
  for (const { left, right } of candidates) {
    if (known.has(right) && (await isKnown(left))) return [left, right];
  }
  return [];
}
