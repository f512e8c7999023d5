import type { Caller } from "../domain/caller.ts";
import { publicId } from "../domain/datasets/dataset.ts";
import { defaultLimit, readWhole } from "../domain/datasets/read.ts";
import { seesAll, viewOf } from "../domain/datasets/view.ts";
import type { Domain } from "../domain/domain.ts";
import { invalid } from "../domain/errors.ts";
import { readFilter } from "../domain/filters/read.ts";
import type { DatasetId } from "../domain/ids.ts";
import { contentsOf, type Inclusion } from "../domain/items/contents.ts";
import type { DatasetItem, ItemRow, PictureWidth } from "../domain/items/item.ts";
import { shareItems, type SharedItem } from "../domain/items/list.ts";
import type { Explanation } from "./answer/explain.ts";
import { type PageHit, rowKey, type SearchedPages } from "../domain/ports/vectors.ts";
import { renditionKey } from "../domain/shares/rendition.ts";
import { existing, type FoundPage, incompleteDatasets, neighboursOf } from "./answer/found-items.ts";
import { explainPages, type RankingInput, withWords } from "./answer/explain-pages.ts";
import { highlightsIn, wordsToFind } from "./answer/highlight.ts";
import { observePart } from "./observe-part.ts";
import { readQueryImage } from "./parse/query-image.ts";
import { rankInPacks } from "./rank.ts";
import { resolveScope } from "./parse/scope.ts";
import { type Snippet, snippetsOf } from "./answer/snippet.ts";
import { readText } from "./parse/read-text.ts";

export interface SearchInput {
  /** The text of the query; may be empty. */
  readonly text: string;
  /** http(s) or data URL of a picture; empty if there is none. */
  readonly imageUrl: string;
  /** Datasets to search; if empty, all vectorized datasets of the workspace. */
  readonly datasetIds: readonly string[];
  /** JSON of a filter of datasets; undefined for all datasets. */
  readonly filter: unknown;
  /** File extensions of the datasets, without a dot, in any case; if empty, every format. */
  readonly fileExts: readonly string[];
  readonly limit: number | undefined;
  readonly row: ItemRow | undefined;
  readonly expiresInSeconds: number | undefined;
  /** Contents to return with each item. */
  readonly include: readonly Inclusion[];
  /** Width of the returned pictures, or of those rendered in advance; undefined for the default width of each. */
  readonly pictureWidth: PictureWidth | undefined;
  /** Minimum score of the items, 0..1. */
  readonly minScore: number | undefined;
  /** Number of pages before and after each found page to return with it. */
  readonly neighbours: number;
  /** Whether to explain the score of each item. */
  readonly explain: boolean;
  /** Maximum bytes of the contents of all items; undefined for the maximum of a response. */
  readonly maxContentBytes?: number | undefined;
}

export interface FoundItem extends SharedItem {
  /** 0..1. */
  readonly score: number;
  /** The pages before and after it, in page order. */
  readonly neighbours: readonly SharedItem[];
  /** The text around the words of the question, if requested and the page has a text layer. */
  readonly snippet?: Snippet;
  /** The explanation of the score, if requested. */
  readonly explanation?: Explanation;
}

/** Number of first results whose pictures are rendered in advance. */
const prefetchedResults = 3;

export interface Found {
  /** The items found, most relevant first. */
  readonly items: readonly FoundItem[];
  /** The first hundred datasets whose pages may be missing, because part of the index was lost and is being rebuilt. */
  readonly incomplete: readonly DatasetId[];
}

/** Returns the pages that match the query best. */
export async function search(domain: Domain, request: SearchRequest): Promise<Found> {
  return readWhole(domain, request.caller, () => searchOnce(domain, request));
}

interface SearchRequest {
  readonly caller: Caller;
  readonly input: SearchInput;
  readonly signal: AbortSignal;
}

async function searchOnce(domain: Domain, { caller, input, signal }: SearchRequest): Promise<Found> {
  const written = input.text.trim();
  if (written === "" && input.imageUrl === "") throw invalid("query has no text and no image_url; give at least one");
  const { text, ...words } = readText(written);
  const filter = viewOf(caller, input.filter === undefined ? undefined : readFilter(input.filter));
  const { datasetIds, pass } = await resolveScope(domain, caller, {
    datasetIds: input.datasetIds,
    filter,
    fileExts: input.fileExts.map((ext) => ext.toLowerCase()),
  });
  // No dataset passes the filter, so the stores need not be queried.
  if (datasetIds?.length === 0) return { items: [], incomplete: [] };
  const image = input.imageUrl === "" ? undefined : await readQueryImage(domain, input.imageUrl, signal);

  const limit = input.limit ?? defaultLimit;
  const query = { ...(text && { text }), ...(image && { image }) };
  const statistics = seesAll(caller) ? "workspace" : "scope";
  const scope = { workspaceId: caller.workspaceId, datasetIds, pass, statistics, words, limit } as const;
  const needsInputs = input.explain || input.include.includes("highlights") || input.include.includes("snippet");
  const inputs: RankingInput[] | undefined = needsInputs ? [] : undefined;
  // The picture is fetched before the search takes its place in the queue, so that a slow address does not delay other searches.
  const askedAt = performance.now();
  const ranking = await domain.searchQueue.take(caller, signal, () => {
    domain.meter.time("searches", { part: "turn" }, (performance.now() - askedAt) / 1000);
    domain.tracing.add("search turn", {}, askedAt);
    return rankInPacks(domain, { query, scope, signal, inputs });
  });
  signal.throwIfAborted();

  const found = await observePart(domain, "rows", () =>
    existing(domain, atLeast(input.minScore, ranking), { caller, filter, limit, row: input.row ?? "jpg" }),
  );
  if (!input.include.includes("picture")) prefetch(domain, found, input.pictureWidth);
  const [items, incomplete] = await Promise.all([
    bringAlong(domain, { found, input, inputs, text, searched: scope }, signal),
    incompleteDatasets(domain, scope),
  ]);
  const passed = await pass?.(new Set(incomplete));
  const affected = incomplete.filter((id) => passed?.has(id) ?? true);
  return { items, incomplete: await publicIds(domain, caller, affected) };
}

async function publicIds(
  { metadata, clock }: Domain,
  { workspaceId }: Caller,
  ids: readonly DatasetId[],
): Promise<readonly DatasetId[]> {
  if (ids.length === 0) return ids;
  const datasets = await metadata.datasets.getMany(workspaceId, ids, clock());
  return datasets.map(publicId);
}

/** Returns the pages of a ranking with at least the minimum score. */
function atLeast(minScore = 0, ranking: readonly PageHit[]): readonly PageHit[] {
  return minScore === 0 ? ranking : ranking.filter(({ score }) => score >= minScore);
}

interface SearchedItems {
  readonly found: readonly FoundPage[];
  readonly input: SearchInput;
  readonly inputs: readonly RankingInput[] | undefined;
  /** The words of the query. */
  readonly text: string;
  readonly searched: SearchedPages;
}

/** Returns the found pages and their neighbours, each with its link and its contents. */
async function bringAlong(
  domain: Domain,
  { found, input, inputs = [], text, searched }: SearchedItems,
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  const { include, pictureWidth, maxContentBytes: maxBytes, neighbours: reach, expiresInSeconds } = input;
  const rankings = await withWords(domain, inputs, { text, searched });
  const explanations = input.explain ? explainPages(rankings, found) : undefined;
  const words = wordsToFind(rankings);
  const around = await neighboursOf(domain, found, reach);
  const items = found.flatMap((page, index): readonly DatasetItem[] => [page, ...(around[index] ?? [])]);
  const [shared, highlights, snippets, contents] = await Promise.all([
    shareItems(domain, items, expiresInSeconds),
    include.includes("highlights") ? highlightsIn(domain, { words, found, signal }) : undefined,
    include.includes("snippet") ? snippetsOf(domain, found, words) : undefined,
    contentsOf(domain, { items, pictured: found, include, pictureWidth, maxBytes }, signal),
  ]);
  const whole = shared.map((item, index) => ({ ...item, ...contents[index] })).values();
  return found.flatMap((page, index) => {
    const explanation = explanations?.get(rowKey(page));
    const boxes = highlights?.get(page);
    const snippet = snippets?.get(page);
    const item = whole.next().value;
    const neighbours = whole.take(around[index]?.length ?? 0);
    return item === undefined
      ? []
      : [
          {
            ...item,
            score: page.score,
            neighbours: [...neighbours],
            ...(boxes && { highlights: boxes }),
            ...(snippet && { snippet }),
            ...(explanation && { explanation }),
          },
        ];
  });
}

function prefetch({ worker, blobs }: Domain, found: readonly DatasetItem[], width: PictureWidth | undefined): void {
  for (const { datasetId, page, row } of found.slice(0, prefetchedResults)) {
    if (row === "embedding_image") continue;
    const rendition = { datasetId, page, row, ...(row === "jpg" && { width }) };
    // A failure is not reported here but when the link is requested.
    const make = async (): Promise<void> => {
      if ((await blobs.stat(renditionKey(rendition))) === undefined) await worker.render(rendition);
    };
    make().catch(() => undefined);
  }
}
