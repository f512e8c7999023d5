/** Consecutive pages, both ends included. Negative numbers count from the end of the document: -1 is its last page. */
export interface NamedRange {
  readonly from: number;
  readonly to: number;
}

/** Maximum number of named pages: a longer list does not help to find the page with the answer. */
const maxNamed = 50;

/**
 * Reads the pages that a question names by their numbers or places in a document: "page 17", "pp. 12–15", "slides 3, 5 and 7",
 * "Folie 3", "第5页", "the last page", "cover page". Knows English, German, French, Spanish, Italian, Dutch, Portuguese, Chinese
 * and Japanese. Numbers that count something else, as in "12 pages" or "Form 10-K", name no page.
 */
export function readNamedPages(question: string): readonly NamedRange[] {
  const text = question.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ");
  const ranges = readers.flatMap(({ pattern, read }) => [...text.matchAll(pattern)].flatMap((match) => read(match)));
  const named = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return named > maxNamed ? [] : ranges;
}

interface Reader {
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => readonly NamedRange[];
}

const one = String.raw`page|slide|seite|folie|diapositive|diapo|p[áa]gina|diapositiva|diapositivo|bladzijde|p\.|pg\.|s\.|p[áa]g\.|blz\.`;
const several = String.raw`pages|slides|seiten|folien|diapositives|diapos|p[áa]ginas|pagine|diapositivas|pagina's|bladzijden|pp\.|pgs\.|p[áa]gs\.`;
/** Excludes a match within a word, an abbreviation or a path, or as in "results per page 50". */
const before = String.raw`(?<![\p{L}\p{N}./\-]|(?<!\p{L})(?:per|pro|par|por|web|home)\s)`;
const numberWords =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );
/** A number that is not part of a longer one, of a code or of a percentage. */
const number = String.raw`(?<![\p{L}\p{N}])(?:\d{1,5}(?![\p{L}\p{N}%]|[.,:/]\d|-\p{L})|(?:${numberWords.join("|")})(?![\p{L}\p{N}]))`;
const mark = String.raw`\s*(?:(?:no\.?|nr\.?|number|nummer|num[ée]ro|n[uú]mero)\s|#|n[º°]\.?)?\s*`;
const to = String.raw`\s*(?:-|–|—|~|(?<!\p{L})(?:to|through|till|until|bis|à|au|a|al|até|tot|t\/m)(?!\p{L}))\s*`;
const and = String.raw`(?<!\p{L})(?:and|or|und|oder|et|ou|y|e|o|en|of)(?!\p{L})|&`;
const range = String.raw`${number}(?:${to}(?:(?:${one})${mark})?${number})?`;
/** After one page, a second number is a page only if nothing follows that it could count, as in "on page 3 and 5 people". */
const second = String.raw`(?:\s*(?:${and})\s*${number}(?=\s*(?:[?!.,;:)]|$)))?`;

const ordinals = [
  ["first", "erste[nrsm]?", "premi[èe]re", "primera", "prima", "eerste", "primeira", "1st", "1ère"],
  ["second", "zweite[nrsm]?", "deuxi[èe]me|seconde", "segunda", "seconda", "tweede", "segunda", "2nd", "2e"],
  ["third", "dritte[nrsm]?", "troisi[èe]me", "tercera", "terza", "derde", "terceira", "3rd", "3e"],
  ["fourth", "vierte[nrsm]?", "quatri[èe]me", "cuarta", "quarta", "vierde", "4th", "4e"],
  ["fifth", "fünfte[nrsm]?", "cinqui[èe]me", "quinta", "vijfde", "5th", "5e"],
].map((some) => some.join("|"));
const last = String.raw`last|final|letzte[nrsm]?|derni[èe]re|[úu]ltima|laatste`;
const beforeLast = String.raw`(?:second|next)[\s-]to[\s-]last|second[\s-]last|last\s+but\s+one|penultimate|vorletzte[nrsm]?|avant-derni[èe]re|pen[úu]ltima|voorlaatste|een-na-laatste`;
const chinese = "一二三四五六七八九十";

const readers: readonly Reader[] = [
  { pattern: regExp(String.raw`${before}(?:${one})${mark}${range}${second}`), read: rangesIn },
  {
    pattern: regExp(String.raw`${before}(?:${several})${mark}${range}(?:\s*(?:,|;|${and}|,\s*(?:${and}))\s*${range})*`),
    read: rangesIn,
  },
  ...ordinals.map((names, index) => ({
    pattern: regExp(String.raw`(?<![\p{L}\p{N}.-])(?:${names})\s+(?:${one})(?![\p{L}\p{N}])(?!\s*\d)`),
    read: () => [page(index + 1)],
  })),
  {
    pattern: regExp(String.raw`(?<![\p{L}\p{N}.-])(\d{1,4})(?:st|nd|rd|th)\s+(?:page|slide)(?![\p{L}\p{N}])`),
    read: ([, at]) => (Number(at) > 5 ? [page(Number(at))] : []),
  },
  {
    pattern: regExp(String.raw`(?<![\p{L}\p{N}-]|to |but )(?:${last})\s+(?:${one})(?![\p{L}\p{N}])`),
    read: () => [page(-1)],
  },
  {
    pattern: regExp(String.raw`(?<![\p{L}\p{N}-])(?:${beforeLast})\s+(?:${one})(?![\p{L}\p{N}])`),
    read: () => [page(-2)],
  },
  {
    pattern: regExp(
      String.raw`(?<![\p{L}\p{N}-])(?:first|erste[nr]?|premi[èe]res|primeras|prime|eerste|primeiras)\s+(${number})\s+(?:${several})`,
    ),
    read: ([, count]) => [{ from: 1, to: valueOf(count) }],
  },
  {
    pattern: regExp(
      String.raw`(?<![\p{L}\p{N}-])(?:last|final|letzte[nr]?|derni[èe]res|[úu]ltim[ae]s?|laatste)\s+(${number})\s+(?:${several})`,
    ),
    read: ([, count]) => [{ from: -valueOf(count), to: -1 }],
  },
  {
    pattern: regExp(
      String.raw`第\s*(\d{1,5}|[${chinese}])\s*(?:[-–~到至から]+\s*第?(\d{1,5}))?\s*(?:[页頁]|ページ|张幻灯片|張投影片)`,
    ),
    read: ([, from, until]) => [{ from: valueOf(from), to: valueOf(until ?? from) }],
  },
  {
    pattern: regExp(
      String.raw`(?<![\p{N}.]|全|計|约|約|第\s*)(\d{1,5})(?:[-–~](\d{1,5}))?\s*(?:ページ|頁)(?:目|に|の|で|は|を|から|$|[?。、])`,
    ),
    read: ([, from, until]) => [{ from: valueOf(from), to: valueOf(until ?? from) }],
  },
  {
    pattern: regExp(String.raw`(?:スライド|幻灯片|投影片)\s*(\d{1,5})(?![\p{N}%枚张張])`),
    read: ([, at]) => [page(valueOf(at))],
  },
  { pattern: regExp(String.raw`最[后後](?:一[页頁]|のページ)|最終ページ`), read: () => [page(-1)] },
  {
    pattern: regExp(
      String.raw`(?<![\p{L}-])(?:(?:front\s+)?cover\s+page|title\s+page|front\s+cover|(?:on|of)\s+the\s+cover(?=\s+of\b|\s*[?!.,;:]|\s*$)|titelseite|titelblatt|deckblatt|page\s+de\s+(?:garde|couverture|titre)|portada|copertina|frontespizio|voorblad|titelpagina|folha\s+de\s+rosto)(?![\p{L}])|封面|表紙`,
    ),
    read: () => [page(1)],
  },
  {
    pattern: regExp(
      String.raw`(?<![\p{L}-])(?:back\s+cover|rückseite\s+des\s+umschlags|quatrième\s+de\s+couverture|contraportada)(?![\p{L}])`,
    ),
    read: () => [page(-1)],
  },
];

function regExp(source: string): RegExp {
  return new RegExp(source, "gu");
}

const page = (number: number): NamedRange => ({ from: number, to: number });

const numbersIn = regExp(String.raw`(${number})(?:${to}(?:(?:${one})${mark})?(${number}))?`);

function rangesIn([match]: RegExpExecArray): readonly NamedRange[] {
  return (
    Array.from(match.matchAll(numbersIn), ([, from, until]) => ({ from: valueOf(from), to: valueOf(until ?? from) }))
      // Page 0 does not exist, and descending numbers are not a range.
      .filter(({ from, to: end }) => from > 0 && end >= from)
  );
}

function valueOf(written = ""): number {
  if (/^\d+$/u.test(written)) return Number(written);
  return numberWords.indexOf(written) + 1 || chinese.indexOf(written) + 1;
}
