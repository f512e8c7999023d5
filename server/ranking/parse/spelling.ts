/** Shorter words are one letter away from too many others, longer ones are no words. */
const corrected = { min: 6, max: 20 };

const alphabets = [
  { script: /^[a-z]+$/, letters: "abcdefghijklmnopqrstuvwxyz" },
  { script: /^[а-я]+$/, letters: "абвгдежзиклмнопрстуфхцчшщъыьэюя" },
  { script: /^[α-ω]+$/, letters: "αβγδεζηθικλμνξοπρσςτυφχψω" },
];

/** Can a word be looked for with other spellings? */
export const canBeMisspelt = (word: string): boolean =>
  word.length >= corrected.min && word.length <= corrected.max && alphabetOf(word.toLowerCase()) !== undefined;

/**
 * Everything that is one slip away from the word: a letter left out, doubled or added, another letter, two swapped
 * (Damerau, "A technique for computer detection and correction of spelling errors", 1964). For a word of nine letters
 * some 500, of which an index has one or two.
 */
export function oneSlipAway(word: string): readonly string[] {
  const lower = word.toLowerCase();
  const found = new Set<string>();
  for (let at = 0; at <= lower.length; at++) {
    const [before, after] = [lower.slice(0, at), lower.slice(at)];
    const [first = "", second = ""] = after;
    if (after !== "") found.add(before + after.slice(1));
    if (second !== "") found.add(before + second + first + after.slice(2));
    for (const letter of alphabetOf(lower) ?? "") {
      found.add(before + letter + after);
      if (after !== "") found.add(before + letter + after.slice(1));
    }
  }
  found.delete(lower);
  return [...found];
}

const alphabetOf = (word: string): string | undefined => alphabets.find(({ script }) => script.test(word))?.letters;
