/**
 * Returns the stem of a lower-case English word, by the rules of Snowball's English stemmer, which the full-text index also uses
 * (M. F. Porter, "Snowball: a language for stemming algorithms", 2001; the rules of its version 3). Words with letters other than
 * a to z, and words of other languages, are mostly unchanged.
 */
export function stem(word: string): string {
  if (word.length < 3) return word;
  const special = exceptions.get(word);
  if (special !== undefined) return special;
  return finish(steps(markConsonantY(word.startsWith("'") ? word.slice(1) : word)));
}

const exceptions = new Map(
  Object.entries({
    skis: "ski",
    skies: "sky",
    idly: "idl",
    gently: "gentl",
    ugly: "ugli",
    early: "earli",
    only: "onli",
    singly: "singl",
    sky: "sky",
    news: "news",
    howe: "howe",
    atlas: "atlas",
    cosmos: "cosmos",
    bias: "bias",
    andes: "andes",
  }),
);
const doneAfterPlural = new Set("inning outing canning herring earring evening proceed exceed succeed".split(" "));

/** Writes a `y` that is a consonant as `Y`: as the first letter, and after a vowel, which may itself be a `y`. */
function markConsonantY(word: string): string {
  let marked = "";
  // Reading the last letter of the growing string would copy all of it each time.
  let previous = "";
  for (const letter of word) {
    const isConsonant = letter === "y" && (previous === "" || isVowel(previous));
    previous = isConsonant ? "Y" : letter;
    marked += previous;
  }
  return marked;
}
const finish = (word: string): string => word.replaceAll("Y", "y");

interface Regions {
  /** The indices at which the regions R1 and R2 begin. */
  readonly r1: number;
  readonly r2: number;
}

function regionsOf(word: string): Regions {
  const prefix = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/.exec(word)?.[0];
  const r1 = prefix === undefined ? afterVowelAndConsonant(word, 0) : prefix.length;
  return { r1, r2: afterVowelAndConsonant(word, r1) };
}

const isVowel = (letter: string | undefined): boolean => letter !== undefined && "aeiouy".includes(letter);

function afterVowelAndConsonant(word: string, from: number): number {
  for (let at = from; at + 1 < word.length; at++) if (isVowel(word[at]) && !isVowel(word[at + 1])) return at + 2;
  return word.length;
}

const shortSyllable = /(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY]|past)$/;
/** Double consonants at the end, except in `add`, `egg` and `off`. */
const doubled = /(?<!^[aeo])(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const hasVowel = /[aeiouy]/;

function steps(word: string): string {
  const regions = regionsOf(word);
  const singular = withoutPlural(word);
  if (doneAfterPlural.has(singular)) return singular;
  let rest = withoutPast(singular, regions);
  rest = rest.replace(/(?<=.[^aeiouy])[yY]$/, "i");
  rest = longest(rest, second, regions);
  rest = longest(rest, third, regions);
  rest = fourth(rest, regions);
  return fifth(rest, regions);
}

function withoutPlural(word: string): string {
  const plain = word.replace(/(?:'s'|'s|')$/, "");
  if (plain.endsWith("sses")) return plain.slice(0, -2);
  if (/ie[ds]$/.test(plain)) return plain.length > 4 ? plain.slice(0, -2) : plain.slice(0, -1);
  if (/(?:us|ss)$/.test(plain)) return plain;
  return plain.endsWith("s") && hasVowel.test(plain.slice(0, -2)) ? plain.slice(0, -1) : plain;
}

function withoutPast(word: string, { r1 }: Regions): string {
  const [agreed] = /(?:eedly|eed)$/.exec(word) ?? [];
  if (agreed !== undefined) {
    const at = word.length - agreed.length;
    return at >= r1 ? `${word.slice(0, at)}ee` : word;
  }
  const [ending] = /(?:ingly|edly|ing|ed)$/.exec(word) ?? [];
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  if (ending === "ing" && /^[^aeiouy]y$/.test(rest)) return `${rest.slice(0, 1)}ie`;
  if (!hasVowel.test(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (doubled.test(rest)) return rest.slice(0, -1);
  return rest.length <= r1 && shortSyllable.test(rest) ? `${rest}e` : rest;
}

/** Endings, longest first, with their replacements and, for some, a condition. */
type Endings = readonly (readonly [ending: string, replacement: string, where?: "r2" | "l" | "li"])[];

const second: Endings = [
  ["ational", "ate"],
  ["fulness", "ful"],
  ["iveness", "ive"],
  ["ization", "ize"],
  ["ousness", "ous"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["tional", "tion"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ation", "ate"],
  ["ogist", "og"],
  ["entli", "ent"],
  ["fulli", "ful"],
  ["iviti", "ive"],
  ["ousli", "ous"],
  ["abli", "able"],
  ["alli", "al"],
  ["anci", "ance"],
  ["ator", "ate"],
  ["enci", "ence"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["ogi", "og", "l"],
  ["li", "", "li"],
];

const third: Endings = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["ative", "", "r2"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

function longest(word: string, endings: Endings, { r1, r2 }: Regions): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (found === undefined) return word;
  const [ending, replacement, where] = found;
  const at = word.length - ending.length;
  if (at < r1) return word;
  if (where === "r2" && at < r2) return word;
  if (where === "l" && word[at - 1] !== "l") return word;
  if (where === "li" && !/[cdeghkmnrt]$/.test(word.slice(0, at))) return word;
  return word.slice(0, at) + replacement;
}

const fourthEndings = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|ion|al|er|ic)$/;

function fourth(word: string, { r2 }: Regions): string {
  const [ending] = fourthEndings.exec(word) ?? [];
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  return rest.length < r2 || (ending === "ion" && !/[st]$/.test(rest)) ? word : rest;
}

function fifth(word: string, { r1, r2 }: Regions): string {
  const at = word.length - 1;
  if (word.endsWith("e")) {
    return at >= r2 || (at >= r1 && !shortSyllable.test(word.slice(0, at))) ? word.slice(0, at) : word;
  }
  return word.endsWith("ll") && at >= r2 ? word.slice(0, at) : word;
}
