import type { Rewritable } from "./traced-text.ts";

/**
 * Converts a question to the form of text layers, which are in compatibility form (NFKC) and therefore write the Thai and Lao
 * vowel sign am as two signs. Descriptions of documents are indexed as they are written.
 */
export const asInLayers = <Text extends Rewritable<Text>>(text: Text): Text =>
  text.replace(/[\u0e33\u0eb3]/gu, (sign) => sign.normalize("NFKC"));

/** Lam and alef with or without a mark, which form one glyph. */
const lamAlef = /\u0644([\u0622\u0623\u0625\u0627])/gu;
const plainLamAlef = /\u0644(\u0627)/gu;

/**
 * Returns other forms that an Arabic word may have in text layers. Engines reverse a line that runs from right to left, glyph by
 * glyph; the two letters of a ligature then come out in the wrong order, unless the file has one character for both (U+FEFB).
 */
export function layerWritings(word: string): readonly string[] {
  if (!word.includes("\u0644")) return [];
  const turned = [plainLamAlef, lamAlef].map((pair) => word.replace(pair, "$1\u0644"));
  return [...new Set(turned)].filter((other) => other !== word);
}
