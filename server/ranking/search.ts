import type { Caller } from "../domain/caller.ts";
import { publicId } from "../domain/datasets/dataset.ts";
import { defaultLimit } from "../domain/datasets/list.ts";
import { readWhole } from "../domain/datasets/read-whole.ts";
import { seesAll, viewOf } from "../domain/datasets/view.ts";
import type { Domain } from "../domain/domain.ts";
import { invalid } from "../domain/errors.ts";
import { readFilter } from "../domain/filters/read.ts";
import type { DatasetId } from "../domain/ids.ts";
import { contentsOf, type Inclusion } from "../domain/items/contents.ts";
import type { DatasetItem, ItemRow } from "../domain/items/item.ts";
import { shareItems, type SharedItem } from "../domain/items/list.ts";
import type { Explanation } from "./answer/explanation.ts";
import { type PageHit, rowKey, type SearchedPages } from "../domain/ports/vectors.ts";
import type { PictureWidth } from "../domain/shares/picture-width.ts";
import { renditionKey } from "../domain/shares/rendition.ts";
import { existing, type FoundPage } from "./answer/existing.ts";
import { explainPages, type KeptRanking, withWords } from "./answer/explain-pages.ts";
import { highlightsIn, wordsToFind } from "./answer/highlight.ts";
import { incompleteDatasets } from "./answer/incomplete.ts";
import { neighboursOf } from "./answer/neighbours.ts";
import { observePart } from "./observe-part.ts";
import { readQueryImage } from "./parse/query-image.ts";
import { rankInPacks } from "./rank-in-packs.ts";
import { resolveScope } from "./parse/scope.ts";
import { type Snippet, snippetsOf } from "./answer/snippet.ts";
import { readText } from "./parse/read-text.ts";

export interface SearchInput {
  /** Empty: no words. */
  readonly text: string;
  /** http(s) or data URL; empty: no picture. */
  readonly imageUrl: string;
  /** All vectorized datasets of the workspace when empty. */
  readonly datasetIds: readonly string[];
  /** JSON of a filter of the datasets; undefined: all. */
  readonly filter: unknown;
  /** Of the datasets, without a dot, in any case; of every format when empty. */
  readonly fileExts: readonly string[];
  readonly limit: number | undefined;
  readonly row: ItemRow | undefined;
  readonly expiresInSeconds: number | undefined;
  /** What the items bring along. */
  readonly include: readonly Inclusion[];
  /** Of the pictures that come along, or else of those that are drawn ahead; undefined: as each of them is by itself. */
  readonly pictureWidth: PictureWidth | undefined;
  /** Only items with this score or a higher one, 0..1. */
  readonly minScore: number | undefined;
  /** How many pages before and after each found one come with it. */
  readonly neighbours: number;
  /** Say why each item has its score. */
  readonly explain: boolean;
  /** The room for what the items bring along, bytes; undefined: all that an answer has. */
  readonly maxContentBytes?: number | undefined;
}

export interface FoundItem extends SharedItem {
  /** 0..1. */
  readonly score: number;
  /** The pages before and after it, in their order. */
  readonly neighbours: readonly SharedItem[];
  /** Around the words of the question, if that was asked; undefined also where the page has no text layer. */
  readonly snippet?: Snippet;
  /** Why it has its score, if that was asked. */
  readonly explanation?: Explanation;
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
export async function search(domain: Domain, asked: Search): Promise<Found> {
  return readWhole(domain, asked.caller, () => searchOnce(domain, asked));
}

interface Search {
  readonly caller: Caller;
  readonly input: SearchInput;
  readonly signal: AbortSignal;
}

async function searchOnce(domain: Domain, { caller, input, signal }: Search): Promise<Found> {
  const written = input.text.trim();
  if (written === "" && input.imageUrl === "") throw invalid("query has no text and no image_url; give at least one");
  const { text, ...words } = readText(written);
  const filter = viewOf(caller, input.filter === undefined ? undefined : readFilter(input.filter));
  const { datasetIds, pass } = await resolveScope(domain, caller, {
    datasetIds: input.datasetIds,
    filter,
    fileExts: input.fileExts.map((ext) => ext.toLowerCase()),
  });
  // Nothing passes the filter: there is nothing to ask the stores for.
  if (datasetIds?.length === 0) return { items: [], incomplete: [] };
  const image = input.imageUrl === "" ? undefined : await readQueryImage(domain, input.imageUrl, signal);

  const limit = input.limit ?? defaultLimit;
  const query = { ...(text && { text }), ...(image && { image }) };
  const statistics = seesAll(caller) ? "workspace" : "scope";
  const scope = { workspaceId: caller.workspaceId, datasetIds, pass, statistics, words, limit } as const;
  const isKept = input.explain || input.include.includes("highlights") || input.include.includes("snippet");
  const kept: KeptRanking[] | undefined = isKept ? [] : undefined;
  // The picture was fetched before the turn, so that a slow address holds no turn that other searches wait for.
  const askedAt = performance.now();
  const ranking = await domain.searchTurns.take(caller, signal, () => {
    domain.meter.time("searches", { part: "turn" }, (performance.now() - askedAt) / 1000);
    domain.tracing.add("search turn", {}, askedAt);
    return rankInPacks(domain, { query, scope, signal, kept });
  });
  signal.throwIfAborted();

  const found = await observePart(domain, "rows", () =>
    existing(domain, atLeast(input.minScore, ranking), { caller, filter, limit, row: input.row ?? "jpg" }),
  );
  if (!input.include.includes("picture")) prefetch(domain, found, input.pictureWidth);
  const [items, incomplete] = await Promise.all([
    bringAlong(domain, { found, input, kept, text, searched: scope }, signal),
    incompleteDatasets(domain, scope),
  ]);
  const passed = await pass?.(new Set(incomplete));
  const meant = incomplete.filter((id) => passed?.has(id) ?? true);
  return { items, incomplete: await publicIds(domain, caller, meant) };
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

/** The best of a ranking, whose scores fall. */
function atLeast(minScore = 0, ranking: readonly PageHit[]): readonly PageHit[] {
  return minScore === 0 ? ranking : ranking.filter(({ score }) => score >= minScore);
}

interface Completed {
  readonly found: readonly FoundPage[];
  readonly input: SearchInput;
  readonly kept: readonly KeptRanking[] | undefined;
  /** The words of the query. */
  readonly text: string;
  readonly searched: SearchedPages;
}

/** What was found with its neighbours, each with its link and its contents. */
async function bringAlong(
  domain: Domain,
  { found, input, kept = [], text, searched }: Completed,
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  const { include, pictureWidth, maxContentBytes: maxBytes, neighbours: reach, expiresInSeconds } = input;
  const rankings = await withWords(domain, kept, { text, searched });
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
    // A rendition that cannot be made says so when its link is asked for, so its failure is not reported here.
    const make = async (): Promise<void> => {
      if ((await blobs.stat(renditionKey(rendition))) === undefined) await worker.render(rendition);
    };
    make().catch(() => undefined);
  }
}
