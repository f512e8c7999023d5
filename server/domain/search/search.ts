import type { Caller } from "../caller.ts";
import { defaultLimit } from "../datasets/list.ts";
import { viewOf } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { invalid } from "../errors.ts";
import type { Filter } from "../filters/filter.ts";
import { matches } from "../filters/matches.ts";
import { readFilter } from "../filters/read.ts";
import type { DatasetId } from "../ids.ts";
import { type DatasetItem, itemId, type ItemRow } from "../items/item.ts";
import { shareItems } from "../items/list.ts";
import type { PageHit } from "../ports/vectors.ts";
import type { Share } from "../shares/links.ts";
import { renditionKey } from "../shares/rendition.ts";
import { incompleteDatasets } from "./incomplete.ts";
import { observePart } from "./part.ts";
import { readQueryImage } from "./query-image.ts";
import { rankInPacks } from "./rank-in-packs.ts";
import { resolveScope } from "./scope.ts";
import { within } from "./within.ts";
import { readText } from "./words.ts";

export interface SearchInput {
  /** Empty: no words. */
  readonly text: string;
  /** http(s) or data URL; empty: no picture. */
  readonly imageUrl: string;
  /** All vectorized datasets of the workspace when empty. */
  readonly datasetIds: readonly string[];
  /** JSON of a filter of the datasets; undefined: all. */
  readonly filter: unknown;
  readonly limit: number | undefined;
  readonly row: ItemRow | undefined;
  readonly expiresInSeconds: number | undefined;
}

export interface FoundItem extends DatasetItem {
  /** 0..1. */
  readonly score: number;
  readonly share: Share;
}

/** Pictures of so many first results are rendered in advance. */
const prefetchedResults = 3;

export interface Found {
  /** Most relevant first. */
  readonly items: readonly FoundItem[];
  /** Datasets of which pages may be missing, the first hundred: part of the index is lost and is being made again. */
  readonly incomplete: readonly DatasetId[];
}

/** The pages that fit the query best. */
export async function search(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: SearchInput; signal: AbortSignal },
): Promise<Found> {
  const written = input.text.trim();
  if (written === "" && input.imageUrl === "") throw invalid("query has no text and no image_url; give at least one");
  const { text, ...words } = readText(written);
  const filter = viewOf(caller, input.filter === undefined ? undefined : readFilter(input.filter));
  const { datasetIds, pass } = await resolveScope(domain, caller, { datasetIds: input.datasetIds, filter });
  const image = input.imageUrl === "" ? undefined : await readQueryImage(domain, input.imageUrl, signal);

  const limit = input.limit ?? defaultLimit;
  const query = { ...(text && { text }), ...(image && { image }) };
  const scope = { workspaceId: caller.workspaceId, datasetIds, words, limit };
  // The picture was fetched before the turn, so that a slow address holds no turn that other searches wait for.
  const askedAt = performance.now();
  const ranking = await domain.searchTurns.take(caller, signal, () => {
    domain.meter.time("searches", { part: "turn" }, (performance.now() - askedAt) / 1000);
    domain.tracing.add("search turn", {}, askedAt);
    const searched = pass === undefined ? domain : { ...domain, vectors: within(domain.vectors, pass) };
    return rankInPacks(searched, { query, scope, signal });
  });
  signal.throwIfAborted();

  const found = await observePart(domain, "rows", () =>
    existing(domain, { caller, filter, ranking, limit, row: input.row ?? "jpg" }),
  );
  prefetch(domain, found);
  const [items, incomplete] = await Promise.all([
    shareItems(domain, found, input.expiresInSeconds),
    incompleteDatasets(domain, scope, found.length > 0),
  ]);
  return { items, incomplete: pass === undefined ? incomplete : [...(await pass(incomplete))] };
}

/** Pages of a ranking that are looked up together, for each that is wanted: nearly all of them are still there. */
const lookedUpPerResult = 2;

/**
 * The first of the ranking that can be given out, each page once: embedded pages of datasets that are still there. The index
 * may know pages of a deleted dataset for a moment longer; the metadata decides.
 */
async function existing(
  domain: Domain,
  { ranking, limit, ...wanted }: Wanted & { readonly ranking: readonly PageHit[]; readonly limit: number },
): Promise<readonly FoundPage[]> {
  const found = new Map<string, FoundPage>();
  const together = lookedUpPerResult * limit;
  for (let from = 0; from < ranking.length && found.size < limit; from += together) {
    for (const page of await existingOf(domain, ranking.slice(from, from + together), wanted)) {
      if (!found.has(page.id)) found.set(page.id, page);
    }
  }
  return [...found.values()].slice(0, limit);
}

/** What of a ranking is given out. */
interface Wanted {
  readonly caller: Caller;
  /** Of the datasets, as it is when they are looked up. */
  readonly filter: Filter | undefined;
  readonly row: ItemRow;
}

type FoundPage = DatasetItem & { readonly score: number };

async function existingOf(
  { metadata, clock }: Domain,
  hits: readonly PageHit[],
  { caller: { workspaceId }, filter, row }: Wanted,
): Promise<readonly FoundPage[]> {
  const datasetIds = [...new Set(hits.map((hit) => hit.datasetId))];
  const [datasets, items, indices] = await Promise.all([
    metadata.datasets.getMany(workspaceId, datasetIds, clock()),
    metadata.pages.getItems(hits, "embedding_image"),
    metadata.indices.generations(datasetIds),
  ]);
  const current = new Set(indices.map(({ datasetId, generation }) => `${datasetId}@${generation}`));
  const alive = new Set(
    datasets.filter((dataset) => filter === undefined || matches(filter, dataset.metadata)).map(({ id }) => id),
  );
  const createdAt = new Map(items.map((item) => [itemId(item), item.createdAt]));
  return hits.flatMap(({ datasetId, page, generation, score }) => {
    // Rows of other generations, left by a claim that had lost its lease, do not count.
    if (!current.has(`${datasetId}@${generation}`)) return [];
    const at = createdAt.get(itemId({ datasetId, page, row: "embedding_image" }));
    if (at === undefined || !alive.has(datasetId)) return [];
    const ref = { datasetId, page, row };
    return [{ ...ref, id: itemId(ref), createdAt: at, score }];
  });
}

function prefetch({ worker, blobs }: Domain, found: readonly DatasetItem[]): void {
  for (const { datasetId, page, row } of found.slice(0, prefetchedResults)) {
    if (row === "embedding_image") continue;
    const rendition = { datasetId, page, row };
    // A rendition that cannot be made says so when its link is asked for, so its failure is not reported here.
    const make = async (): Promise<void> => {
      if ((await blobs.stat(renditionKey(rendition))) === undefined) await worker.render(rendition);
    };
    make().catch(() => undefined);
  }
}
