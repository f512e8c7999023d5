import type { FoundTerms } from "../rerank/reading.ts";
import type { TermsOnPage } from "../terms/find-in-texts.ts";
import { wordRoot } from "../terms/word-root.ts";

/** Finds the terms of a question in the texts of pages; undefined for a page that was not read. */
export function termsFoundIn(question: readonly string[], texts: readonly (string | undefined)[]): FoundTerms {
  const roots = question.map(wordRoot);
  const find = (text: string): TermsOnPage => {
    const asked = text
      .split(" ")
      .filter((term) => term !== "")
      .map((term) => roots.indexOf(wordRoot(term)));
    const places = [...asked.keys()].filter((place) => (asked[place] ?? -1) >= 0);
    return { length: asked.length, places, asked: asked.filter((term) => term >= 0) };
  };
  return { question, pages: texts.map((text) => (text === undefined ? undefined : find(text))) };
}
