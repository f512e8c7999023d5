import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Drs, ExplainedPart, Explanation, FoundItem, Item } from "@drs/client";
import { mapConcurrent } from "../bounded.ts";
import { documentName } from "../documents/find-document.ts";
import { printable, shorten } from "../output/printable.ts";
import type { Style } from "../terminal/style.ts";
import { snippetLines } from "./snippet-lines.ts";

/** A found page as it is shown. */
export interface FoundPage extends FoundItem {
  /** Position in the ranking, from 1. */
  readonly rank: number;
  readonly savedTo?: string;
}

const datasetsAtOnce = 4;
/** Minimum columns of a name; shorter ones cannot be told apart. */
const shortestName = 12;

/** Adds ranks, and the names of documents from older servers that do not send them with the pages. */
export async function describeFound(drs: Drs, found: readonly FoundItem[], signal: AbortSignal): Promise<FoundPage[]> {
  const nameless = found.filter(({ fileName }) => fileName === "");
  const ids = [...new Set(nameless.map(({ datasetId }) => datasetId))];
  const names = new Map(
    await mapConcurrent(ids, datasetsAtOnce, async (id) => [id, await documentName(drs, id, signal)] as const),
  );
  return found.map((item, index) => ({
    rank: index + 1,
    ...item,
    fileName: names.get(item.datasetId) ?? item.fileName,
  }));
}

/** Width of the prefix `10.  0.87  `. Links and pictures are indented by it. */
const indent = 11;

/** Returns `1.  0.87  manual.pdf, page 12`, followed by the link or the file and everything else that the page has. */
export function foundLines(found: FoundPage, style: Style): string[] {
  const { rank, score, fileName, col, share, savedTo, text, snippet, neighbours = [] } = found;
  const room = style.columns === undefined ? Number.POSITIVE_INFINITY : style.columns - indent;
  const page = `, page ${col}`;
  const name = shorten(printable(fileName), Math.max(shortestName, room - page.length));
  // If links can be clicked, the address may be shortened; otherwise users copy it by hand.
  const url = printable(share.url);
  const target = savedTo === undefined ? share.url : pathToFileURL(resolve(savedTo)).href;
  const address = style.hyperlinks ? style.link(style.colour("gray", shorten(url, room)), share.url) : url;
  return [
    `${String(rank).padStart(2)}.  ${score.toFixed(2)}  ${style.link(style.bold(name + page), target)}`,
    `${" ".repeat(indent)}${savedTo ?? address}`,
    ...(snippet === undefined || text !== undefined
      ? []
      : snippetLines(snippet, style, style.columns === undefined ? undefined : Math.max(shortestName, room)).map(
          (line) => `${" ".repeat(indent)}${line}`,
        )),
    ...explanationLines(found.explanation).map((line) => `${" ".repeat(indent)}${line}`),
    ...textLines(text),
    ...neighbours.flatMap((neighbour) => neighbourLines(neighbour, style, savedTo === undefined ? room : undefined)),
  ];
}

/** Returns the lines of a neighbouring page. `room`: columns of its link; undefined if links end with the command. */
function neighbourLines({ col, share, text }: Item, style: Style, room: number | undefined): string[] {
  const page = `page ${col}`;
  const url = printable(share.url);
  const link = (columns: number): string =>
    style.hyperlinks ? style.link(style.colour("gray", shorten(url, columns - page.length - 2)), share.url) : url;
  const line = room === undefined ? page : `${page}  ${link(room)}`;
  return [`${" ".repeat(indent)}${line}`, ...textLines(text)];
}

/** Returns the text of a page behind a bar, so that it is not mistaken for output of the command. */
function textLines(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  return text.split("\n").map((line) => `${" ".repeat(indent)}| ${printable(line)}`);
}

/** Returns the line above the first unlikely result, or undefined if there is none. */
export function divider(likely: number, total: number, style: Style): string | undefined {
  if (likely >= total) return undefined;
  const told = likely === 0 ? "nothing here seems to answer the question; the closest pages" : "unlikely answers";
  return style.colour("gray", `${"─".repeat(4)} ${told} ${"─".repeat(4)}`);
}

/** Smaller parts do not change the score as it is shown. */
const leastShown = 0.05;

/**
 * Returns why a page has its score, in log-odds: `words +6.8 text +1.2, page +2.3 document +0.4 …, base −9.3 = 0.58`,
 * followed by the words of the query that it contains.
 */
function explanationLines(explanation: Explanation | undefined): string[] {
  return (explanation?.parts ?? []).flatMap((part) => [
    `${sumLine(part)} = ${signed(part.logOdds)} (${part.probability.toFixed(2)})`,
    ...wordLines(part),
  ]);
}

function sumLine({ spaces, features, likeness, base }: ExplainedPart): string {
  const parts: [string, number][] = spaces.map(({ name, logOdds }) => [name, logOdds]);
  const [named, others] = [features.filter(isNamedPage), features.filter((feature) => !isNamedPage(feature))];
  for (const { value, logOdds } of named) parts.push([`named: page ${value}`, logOdds]);
  const sums = Map.groupBy(others, ({ of }) => of);
  for (const [of, some] of sums) parts.push([of, some.reduce((sum, { logOdds }) => sum + logOdds, 0)]);
  parts.push(["likeness", likeness], ["base", base]);
  return parts
    .filter(([, logOdds]) => Math.abs(logOdds) >= leastShown)
    .map(([name, logOdds]) => `${printable(name)} ${signed(logOdds)}`)
    .join("  ");
}

/** Whether the evidence is that the query names the page by its number. */
const isNamedPage = ({ name }: { readonly name: string }): boolean => name === "namedPage";

function wordLines({ words }: ExplainedPart): string[] {
  if (words.length === 0) return [];
  const shown = words.map(({ word, count, logOdds, foundAs }) => {
    const named = [word, ...(foundAs.length === 0 ? [] : [`(${foundAs.join(", ")})`])].map(printable).join(" ");
    return count === 0 ? `${named} –` : `${named} ${count}× ${signed(logOdds)}`;
  });
  return [`of the words: ${shown.join(", ")}`];
}

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
