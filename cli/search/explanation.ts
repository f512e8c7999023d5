import type { ExplainedPart, Explanation } from "@drs/client";
import { printable } from "../output/printable.ts";

/** Smaller parts do not change the score as it is shown. */
const leastShown = 0.05;

/**
 * Returns why a page has its score, in log-odds: `words +6.8 text +1.2, page +2.3 document +0.4 …, base −9.3 = 0.58`,
 * followed by the words of the query that it contains.
 */
export function explanationLines(explanation: Explanation | undefined): string[] {
  return (explanation?.parts ?? []).flatMap((part) => [
    `${sumLine(part)} = ${signed(part.logOdds)} (${part.probability.toFixed(2)})`,
    ...wordLines(part),
  ]);
}

function sumLine({ spaces, features, likeness, base }: ExplainedPart): string {
  const parts: [string, number][] = spaces.map(({ name, logOdds }) => [name, logOdds]);
  const sums = Map.groupBy(features, ({ of }) => of);
  for (const [of, some] of sums) parts.push([of, some.reduce((sum, { logOdds }) => sum + logOdds, 0)]);
  parts.push(["likeness", likeness], ["base", base]);
  return parts
    .filter(([, logOdds]) => Math.abs(logOdds) >= leastShown)
    .map(([name, logOdds]) => `${printable(name)} ${signed(logOdds)}`)
    .join("  ");
}

function wordLines({ words }: ExplainedPart): string[] {
  if (words.length === 0) return [];
  const shown = words.map(({ word, count, logOdds, foundAs }) => {
    const named = [word, ...(foundAs.length === 0 ? [] : [`(${foundAs.join(", ")})`])].map(printable).join(" ");
    return count === 0 ? `${named} –` : `${named} ${count}× ${signed(logOdds)}`;
  });
  return [`of the words: ${shown.join(", ")}`];
}

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
