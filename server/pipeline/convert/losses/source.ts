import { readChunk } from "../chunks/read-chunk.ts";
import { attributeOf } from "../../../formats/xml-edits.ts";
import { listenForParagraphs } from "./paragraphs.ts";
import { type OfficeParts, withParts } from "../parts.ts";
import { type Passage, quoted } from "./passage.ts";
import { readCells, shownSheets } from "./sheets.ts";

/**
 * Reports the visible passages of an Office file that has passed the pre-check: only body text, without headers, notes and
 * comments. Throws the signal's reason.
 */
export async function readPassages(
  file: string,
  signal: AbortSignal,
  report: (passage: Passage) => void,
): Promise<void> {
  await withParts(file, signal, async (parts) => {
    const { format } = parts.office.kind;
    if (format === "docx") await readText(parts, report);
    if (format === "pptx") await readSlides(parts, report);
    if (format === "xlsx") {
      const sheets = await shownSheets(parts);
      await readCells(parts, sheets, report);
      for (const { part } of sheets) await readChartTitles(parts, { part }, report);
    }
  });
}

async function readText(parts: OfficeParts, report: (passage: Passage) => void): Promise<void> {
  const { mainPart } = parts.office;
  const chunks: string[] = [];
  const listener = listenForParagraphs(
    ({ text, hasFormula }) =>
      report({
        text,
        place: { code: hasFormula ? "formula" : "missing_words", where: `the paragraph ${quoted(text)}` },
      }),
    (id) => chunks.push(id),
  );
  await parts.read(mainPart, listener);
  const targets = await parts.relationships(mainPart);
  for (const id of chunks) {
    const target = targets.get(id)?.target;
    const lines = target === undefined ? undefined : await readChunk(parts, target);
    if (lines === undefined) continue;
    const text = lines.join(" ");
    report({ text, place: { code: "alt_chunk", where: `the inserted part ${quoted(text)}` } });
  }
  await readChartTitles(parts, { part: mainPart }, report);
}

async function readSlides(parts: OfficeParts, report: (passage: Passage) => void): Promise<void> {
  const { mainPart } = parts.office;
  const targets = await parts.relationships(mainPart);
  const slides: string[] = [];
  await parts.read(mainPart, {
    open(element) {
      const target = element.local === "sldId" ? targets.get(relationshipId(element))?.target : undefined;
      if (target !== undefined) slides.push(target);
    },
    close: () => undefined,
    text: () => undefined,
  });
  let page = 0;
  for (const part of slides) {
    const passages: Passage[] = [];
    let isShown = true;
    const number = page + 1;
    const { open, ...listener } = listenForParagraphs(({ text, hasFormula }) => {
      const code = hasFormula ? "formula" : "missing_words";
      passages.push({ text, place: { code, where: `the box ${quoted(text)}`, page: number } });
    });
    await parts.read(part, {
      ...listener,
      open(element) {
        if (element.local === "sld") isShown = !/^(0|false)$/.test(attributeOf(element, "show"));
        open(element);
      },
    });
    if (!isShown) continue;
    page = number;
    for (const passage of passages) report(passage);
    await readChartTitles(parts, { part, page }, report);
  }
}

/** Returns the value of `r:id`; the element also has an `id` without a namespace. */
function relationshipId({ attributes }: Parameters<typeof attributeOf>[0]): string {
  const found = Object.values(attributes).find(({ local, uri }) => local === "id" && uri.endsWith("/relationships"));
  return found?.value ?? "";
}

/** Maximum parts that are followed from one sheet or slide, more than any real one has. */
const maxParts = 1_000;

/** Reports the titles of the charts that a shown part leads to. Charts without a title cannot be recognized. */
async function readChartTitles(
  { read, relationships }: OfficeParts,
  { part, page }: { readonly part: string; readonly page?: number | undefined },
  report: (passage: Passage) => void,
): Promise<void> {
  const seen = new Set<string>();
  const waiting = [part];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name) || seen.size >= maxParts) continue;
    seen.add(name);
    if (/\/charts\/chart[^/]*\.xml$/i.test(name)) {
      const title = await titleOf(read, name);
      if (title !== "") report({ text: title, place: { code: "chart", where: `the chart ${quoted(title)}`, page } });
      continue;
    }
    for (const { type, target } of (await relationships(name)).values())
      if (type === "drawing" || type === "chart") waiting.push(target);
  }
}

async function titleOf(read: OfficeParts["read"], name: string): Promise<string> {
  const path: string[] = [];
  let title = "";
  await read(name, {
    open: ({ local }) => void path.push(local),
    close: () => void path.pop(),
    text(text) {
      // The titles of axes are nested deeper and do not count.
      if (path[1] !== "chart" || path[2] !== "title") return;
      if (path.at(-1) === "t" || path.at(-1) === "v") title += `${text} `;
    },
  });
  return title.trim();
}
