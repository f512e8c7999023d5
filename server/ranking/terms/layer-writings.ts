import type { Rewritable } from "./traced-text.ts";

/**
 * A question as the text layers of pages have it, in whose compatibility form (NFKC) the vowel sign am of Thai and Lao is two signs. What is
 * said of documents is in the index as it is written.
 */
export const asInLayers = <Text extends Rewritable<Text>>(text: Text): Text =>
  text.replace(/[\u0e33\u0eb3]/gu, (sign) => sign.normalize("NFKC"));

/** Lam and alef, which are one glyph, with the mark that alef may have. */
const lamAlef = /\u0644([\u0622\u0623\u0625\u0627])/gu;
const plainLamAlef = /\u0644(\u0627)/gu;

/**
 * How text layers may have an Arabic word beside as it is written. Engines turn a line around that runs from right to left, glyph by glyph; of
 * one that stands for two letters these come out in the wrong order, but where the file has a letter of its own for both (U+FEFB).
 */
export function layerWritings(word: string): readonly string[] {
  if (!word.includes("\u0644")) return [];
  const turned = [plainLamAlef, lamAlef].map((pair) => word.replace(pair, "$1\u0644"));
  return [...new Set(turned)].filter((other) => other !== word);
}
