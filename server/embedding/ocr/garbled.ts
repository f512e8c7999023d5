/** Glyphs without a meaning: `cleanWords` writes U+FFFD for them, and custom fonts use private-use code points. */
const unmapped = /[\ufffd\p{Co}]/gu;
/** Maximum share of such glyphs in a correct text layer: a few symbols among prose or formulas. */
const maxUnmappedShare = 0.1;
/** Fewer such glyphs are signs in a correct text layer. */
const minUnmapped = 40;

/**
 * The most frequent pairs of letters in English, German, French, Spanish, Italian, Portuguese and Dutch taken together.
 * They are 83 % of a page's pairs in the median. Among 3,300 pages of real documents, including program text and indexes,
 * none had less than 40 %, and no prose in Finnish, Welsh, Polish, Turkish, Zulu and others had less than 49 %. If each
 * letter stands for another one, they are some 15 %.
 */
const frequent = tableOf(
  (
    "th he in er an re nd on en at ou ed ha to or it is hi es ng of te al de se le st ar nt ve me io ti co ra ri ic ro ll be ne " +
    "li ch ma la el ta us ei ie ge un da em si ns ur il ce no ue qu as om so ca ni ec tr di sc ss et mi tt pe na om ai os do " +
    "ad pr am lo po pa su mo ac ir vi ol sa id ig ut ul up ap op im ub ab ag ig ve va vo wi we wa ho hr be ba bi bl br ct cr " +
    "ck ke ki fo fi fe fr ff ee oo ia ea au eu eg ev ex ep ef pl sp sh tu ty ly ry ay ey ow aw ew rs rt rd rm rn rc rk rg ls ld lt ts"
  ).split(" "),
);

/** A table indexed by 32 times the first letter plus the second, where a is 1. */
function tableOf(pairs: readonly string[]): Uint8Array {
  const table = new Uint8Array(1024);
  for (const pair of pairs) table[32 * letterAt(pair, 0) + letterAt(pair, 1)] = 1;
  return table;
}

/** 1 to 26 for a to z and A to Z, 0 for anything else. */
function letterAt(text: string, at: number): number {
  const letter = (text.charCodeAt(at) | 32) - 96;
  return letter >= 1 && letter <= 26 ? letter : 0;
}
/** Minimum pairs of letters for a meaningful share; fewer are labels, formulas or names. */
const minPairs = 150;
const maxFrequentShare = 0.28;
/** OCR text replaces a text layer only if it is language. */
const minReadShare = 0.45;

/**
 * Whether a page's text layer is present but wrong: its fonts map glyphs to nothing, or to other letters than they show, for
 * example because each code is shifted. Letters of alphabets other than Latin are accepted as they are.
 */
export function isGarbled(words: string): boolean {
  const nothing = words.match(unmapped)?.length ?? 0;
  const letters = words.match(/\p{L}/gu)?.length ?? 0;
  if (nothing >= minUnmapped && nothing > maxUnmappedShare * (nothing + letters)) return true;
  const share = frequentShare(words);
  return share !== undefined && share < maxFrequentShare;
}

/**
 * Returns the words of a page whose text layer seems garbled: the OCR text if it is language, otherwise the text layer,
 * which was then classified as garbled by mistake.
 */
export function instead(words: string, read: string): string {
  const share = frequentShare(read);
  return share !== undefined && share >= minReadShare ? read : words;
}

/** The share of letter pairs that are frequent in languages with the Latin alphabet; undefined if there are too few pairs. */
function frequentShare(words: string): number | undefined {
  let [pairs, known, before] = [0, 0, 0];
  for (let at = 0; at < words.length; at++) {
    const letter = letterAt(words, at);
    if (before > 0 && letter > 0) {
      pairs += 1;
      known += frequent[32 * before + letter] ?? 0;
    }
    before = letter;
  }
  return pairs < minPairs ? undefined : known / pairs;
}
