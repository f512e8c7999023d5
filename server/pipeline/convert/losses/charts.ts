import type { OfficeParts } from "../parts.ts";
import { type Passage, quoted } from "./passage.ts";

/** Maximum parts that are followed from one sheet or slide: more than any has. */
const maxParts = 1_000;

/** Reports the titles of the charts that a shown part leads to. Charts without a title cannot be recognized. */
export async function readChartTitles(
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
      // The titles of axes lie deeper and do not count.
      if (path[1] !== "chart" || path[2] !== "title") return;
      if (path.at(-1) === "t" || path.at(-1) === "v") title += `${text} `;
    },
  });
  return title.trim();
}
