import type { Domain } from "../domain.ts";
import type { DatasetItem } from "./item.ts";

/** Maximum number of pages of one document that one query reads, and whose texts are in memory at a time. */
const maxTogether = 10;

/** Reads the text layers of pages, in their order; empty for a page without one. */
export async function* pageTexts(
  { metadata }: Pick<Domain, "metadata">,
  items: readonly DatasetItem[],
): AsyncGenerator<readonly [DatasetItem, text: string]> {
  for (const [first, ...others] of runsOf(items)) {
    const run = [first, ...others];
    const texts = await metadata.pages.words(
      first.datasetId,
      run.map(({ page }) => page),
    );
    for (const item of run) yield [item, texts.get(item.page) ?? ""];
  }
}

type Run = [DatasetItem, ...DatasetItem[]];

/** Groups consecutive items of one dataset. */
function runsOf(items: readonly DatasetItem[]): readonly Run[] {
  const runs: Run[] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last !== undefined && last[0].datasetId === item.datasetId && last.length < maxTogether) last.push(item);
    else runs.push([item]);
  }
  return runs;
}
