import type { DatasetId } from "../../domain/ids.ts";
import type { StoredPage } from "../../domain/ports/pages.ts";
import { checkedBytes, damaged, parsedLines } from "./folder.ts";
import { type ArchivedDataset, type ArchivedPage, maxAheadMs, pageSchema, pathOf, problemOf } from "./format.ts";
import type { ImportedFeatures } from "./import-features.ts";
import type { ImportOptions } from "./import-options.ts";

export interface ImportedPages {
  readonly pages: number;
  /** Number of these that can be read and are not embedded. */
  readonly unembedded: number;
}

const pagesPerPut = 200;

/** Stores the pages of a dataset. A page counts as embedded only if it has features. */
export async function importPages(
  { metadata, dir, clock, signal }: ImportOptions,
  archived: ArchivedDataset,
  id: DatasetId,
  features: ImportedFeatures | undefined,
): Promise<ImportedPages> {
  const path = pathOf.pages(archived.id);
  let [pages, unembedded, last] = [0, 0, 0];
  let waiting: StoredPage[] = [];
  for await (const value of parsedLines(path, checkedBytes(dir, path, archived.pages))) {
    signal.throwIfAborted();
    const parsed = pageSchema.safeParse(value);
    if (!parsed.success)
      throw damaged(path, `has a line that is no page (after page ${last}, ${problemOf(parsed.error)})`);
    if (parsed.data.page <= last || parsed.data.page > archived.itemCount)
      throw damaged(path, `has page ${parsed.data.page} where it cannot be`);
    last = parsed.data.page;
    checkTimes(path, parsed.data, clock());
    const page = withFeatures(parsed.data, features);
    pages += 1;
    if (page.failure === null && page.embeddedAt === null && page.embedFailure === null) unembedded += 1;
    waiting.push(page);
    if (waiting.length < pagesPerPut) continue;
    await metadata.imports.putPages(id, waiting);
    waiting = [];
  }
  await metadata.imports.putPages(id, waiting);
  if (pages !== archived.pages.count) throw damaged(path, `has ${pages} pages instead of ${archived.pages.count}`);
  return { pages, unembedded };
}

/** The clocks of the archive's machine and of this one may differ by some hours. */
function checkTimes(path: string, { page, createdAt, embeddedAt }: ArchivedPage, now: number): void {
  if (Math.max(createdAt, embeddedAt ?? 0) > now + maxAheadMs)
    throw damaged(path, `has page ${page} with a time to come`);
}

function withFeatures(page: ArchivedPage, features: ImportedFeatures | undefined): StoredPage {
  if (features === undefined) return { ...page, embeddedAt: null, embedFailure: null, absentFrom: [] };
  const absentFrom = features.absentFrom.get(page.page);
  if (page.embeddedAt === null || absentFrom === undefined) return { ...page, embeddedAt: null, absentFrom: [] };
  return { ...page, absentFrom };
}
