import { namedWords } from "./named-words.ts";
import { isStopWord, rootOf } from "./question.ts";

const wordOrNumber = /[\p{L}\p{M}\p{N}]+/gu;
const possessive = /['’]s\b/uy;

/**
 * A question without the words that the terms stand for, in whatever form it has them. What would be nothing but words of
 * grammar then stays as it is.
 */
export function leaveOut(text: string, terms: readonly string[]): string {
  const telling = terms.map((term) => term.toLowerCase()).filter((term) => !isStopWord(term));
  let rest = "";
  let at = 0;
  for (const { from, to } of namedWords(text, new Set(telling.map(rootOf)))) {
    rest += `${text.slice(at, from)} `;
    possessive.lastIndex = to;
    at = possessive.test(text) ? possessive.lastIndex : to;
  }
  rest += text.slice(at);
  return saysSomething(rest) ? rest : text;
}

const saysSomething = (text: string): boolean =>
  Array.from(text.matchAll(wordOrNumber)).some(([word]) => word.length > 1 && !isStopWord(word.toLowerCase()));
