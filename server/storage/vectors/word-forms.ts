/** A word as it stood in the text, and without its accents. */
export interface Word {
  readonly written: string;
  readonly folded: string;
}

/**
 * Stems are English only. Words of other languages count by their beginnings as well, which ranks about as well as stems
 * (McNamee and Mayfield, "Character N-Gram Tokenization for European Language Text Retrieval", 2004) and needs to know
 * no language: the first four letters of words of four to seven, the first five of words of six and more.
 */
export function formsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  if (letters.length < 4 || !/^\p{L}+$/u.test(word)) return [];
  const forms: string[] = [];
  // The asterisk keeps a beginning apart from a word, and from the stemmer.
  if (letters.length <= 7) forms.push(`${letters.slice(0, 4).join("")}*`);
  if (letters.length >= 6) forms.push(`${letters.slice(0, 5).join("")}*`);
  return forms;
}

/** Of a third of English words; none of them means something in German, French, Spanish, Italian, Dutch or Portuguese. */
const english = new Set(
  "the of and to is that for with on by are this from or which not have it be what how does when where who why".split(
    " ",
  ),
);

/** English prose has 25 to 40 % of them, English tables next to none, other languages less than a few borrowed titles bring. */
const maxEnglishShare = 0.08;
/** Letters with accents or of another alphabet; Dutch and Italian have the fewest, English nearly none. */
const minForeignShare = 0.005;

/** Is this a page in another language than English? Of tables without accents: no. */
export function isForeignText(words: readonly Word[]): boolean {
  const known = words.filter(({ written }) => english.has(written.toLowerCase())).length;
  if (known > maxEnglishShare * words.length) return false;
  let [letters, foreign] = [0, 0];
  for (const { written } of words) {
    letters += written.length;
    foreign += written.replace(/[\p{ASCII}\p{N}]/gu, "").length;
  }
  return foreign > minForeignShare * letters;
}

export const isEnglishQuestion = (words: readonly Word[]): boolean =>
  words.some(({ written }) => english.has(written.toLowerCase()));
