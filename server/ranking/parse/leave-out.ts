import { joinedNeighbours } from "../terms/joined-neighbours.ts";
import { namedWords } from "./named-words.ts";
import { rootOf } from "../terms/word-root.ts";
import { isStopWord } from "./question.ts";

const wordOrNumber = /[\p{L}\p{M}\p{N}]+/gu;
const possessive = /['’]s\b/uy;

/**
 * A question without the words that the terms stand for, in whatever form it has them. What would be nothing but words of
 * grammar then stays as it is.
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

/** The neighbours that a name has as one word: "otter report" is the name of `OTTERREPORT_2019.pdf`. */
const joinedIn = (text: string, names: ReadonlySet<string>): readonly string[] =>
  joinedNeighbours(text.toLowerCase()).flatMap(({ joined, words }) => (names.has(joined) ? words : []));

const saysSomething = (text: string): boolean =>
  Array.from(text.matchAll(wordOrNumber)).some(([word]) => word.length > 1 && !isStopWord(word.toLowerCase()));
