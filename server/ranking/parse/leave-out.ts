import { joinedNeighbours } from "../terms/split.ts";
import { rootOf } from "../terms/word-root.ts";
import { isStopWord } from "./question.ts";

const wordOrNumber = /[\p{L}\p{M}\p{N}]+/gu;
const possessive = /['’]s\b/uy;

/**
 * Removes the words with these terms from a question, in any of their forms. Returns the question unchanged if only stop words
 * would remain.
 */
export function leaveOut(text: string, terms: readonly string[]): string {
  const telling = terms.map((term) => term.toLowerCase()).filter((term) => !isStopWord(term));
  const named = [...telling, ...joinedIn(text, new Set(telling))];
  let rest = "";
  let at = 0;
  for (const { from, to } of namedWords(text, new Set(named.map(rootOf)))) {
    rest += `${text.slice(at, from)} `;
    possessive.lastIndex = to;
    at = possessive.test(text) ? possessive.lastIndex : to;
  }
  rest += text.slice(at);
  return saysSomething(rest) ? rest : text;
}

/** Returns neighbouring words of a question that are one word in a name: "otter report" is the name of `OTTERREPORT_2019.pdf`. */
const joinedIn = (text: string, names: ReadonlySet<string>): readonly string[] =>
  joinedNeighbours(text.toLowerCase()).flatMap(({ joined, words }) => (names.has(joined) ? words : []));

const saysSomething = (text: string): boolean =>
  Array.from(text.matchAll(wordOrNumber)).some(([word]) => word.length > 1 && !isStopWord(word.toLowerCase()));

/**
 * Words may be hyphenated at the end of a line: PDFium writes U+FFFE there, other programs a soft hyphen, or a hyphen and a line
 * break.
 */
const divided = String.raw`[\u00ad\ufffe]\s*|(?<=\p{Ll})[-\u2010][^\S\n]*\r?\n[^\S\n]*(?=\p{Ll})`;
const divisions = new RegExp(divided, "gu");
const unspaced = String.raw`\p{sc=Han}々\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const letters = String.raw`(?:(?![${unspaced}])\p{L})+`;
const piece = new RegExp(
  [
    String.raw`[vV]?(?<number>\p{Nd}+(?:[.,'’]\p{Nd}+)+)`,
    `(?<unspaced>[${unspaced}]+)`,
    String.raw`(?<![\p{L}\p{N}-])(?<first>${letters})[-\u2010\u2011](?<second>${letters})(?![\p{L}\p{N}\p{M}\u00ad\ufffe-])`,
    String.raw`(?<word>(?:(?![${unspaced}])[\p{L}\p{N}\p{M}]|${divided})+)`,
  ].join("|"),
  "gu",
);
const betweenParts = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{Nd})|(?<=\p{Nd})(?=\p{L})/u;

/** A part of a question with words of a name, in UTF-16 units. */
interface NamedPart {
  readonly from: number;
  /** The end, after the last unit. */
  to: number;
}

/**
 * Returns the parts of a question that consist of words of a name, compared by their roots. Words with no other word between them
 * form one part. Unlike in `split`, parts of an identifier and words next to a hyphen are removed with their neighbours; the
 * ranking was measured with these rules.
 */
function namedWords(text: string, roots: ReadonlySet<string>): readonly NamedPart[] {
  const found: NamedPart[] = [];
  let isAfterOther = true;
  const take = (from: number, to: number): void => {
    const last = found.at(-1);
    if (last !== undefined && (!isAfterOther || from < last.to)) last.to = Math.max(last.to, to);
    else found.push({ from, to });
    isAfterOther = false;
  };
  const isNamed = (some: readonly string[]): boolean => some.some((root) => roots.has(root));
  const takeWord = (at: number, word: string, isIt: boolean): void => {
    if (isIt) take(at, at + word.length);
    else isAfterOther = true;
  };
  for (const match of text.matchAll(piece)) {
    const [written] = match;
    if (match.groups?.["unspaced"] !== undefined) {
      for (const { at, term } of overlapping(written)) {
        if (!roots.has(term.normalize("NFKC").toLowerCase())) continue;
        const from = match.index + at;
        // The characters between this term and the previous one are other words.
        if (from > match.index && from > (found.at(-1)?.to ?? 0)) isAfterOther = true;
        take(from, from + term.length);
      }
      if ((found.at(-1)?.to ?? 0) < match.index + written.length) isAfterOther = true;
      continue;
    }
    const { number, first, second } = match.groups ?? {};
    const isJoined = first !== undefined && second !== undefined && isNamed(stemsOf(first + second));
    if (!isJoined && first !== undefined && second !== undefined) {
      takeWord(match.index, first, isNamed(stemsOf(first)));
      takeWord(match.index + written.length - second.length, second, isNamed(stemsOf(second)));
    } else {
      takeWord(
        match.index,
        written,
        isJoined || isNamed(number === undefined ? stemsOf(written) : numberStems(number)),
      );
    }
  }
  return found;
}

/** Returns the stems by which a word may be found: its own, and those of its parts, as in `getElementById`. */
function stemsOf(written: string): readonly string[] {
  const folded = written
    .replace(divisions, "")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/gu, "")
    .normalize("NFC");
  const parts = folded.split(betweenParts);
  return [folded, ...(parts.length > 1 ? parts : [])].map((part) => rootOf(part.toLowerCase()));
}

/** Returns the terms of a number, as the index has them: `1234d5` for `1,234.50`. */
function numberStems(written: string): readonly string[] {
  const digits = written.split(/[.,'’]/);
  const fraction = (digits.at(-1) ?? "").replace(/0+$/, "");
  const whole = digits.slice(0, -1).join("");
  return [digits.join(""), fraction === "" ? whole : `${whole}d${fraction}`, digits.join("d")];
}

/** Returns single characters, pairs, and triples (as for Thai), as the index has them. */
function overlapping(text: string): readonly { readonly at: number; readonly term: string }[] {
  const characters = Array.from(text);
  let at = 0;
  return characters.flatMap((character, place) => {
    const here = at;
    at += character.length;
    return [1, 2, 3].map((length) => ({ at: here, term: characters.slice(place, place + length).join("") }));
  });
}
