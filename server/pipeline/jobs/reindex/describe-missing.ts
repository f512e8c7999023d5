import { servedIndices } from "../../../domain/index/served.ts";
import type { PackRanking, SecondStage } from "../../../domain/ports/pack-ranking.ts";
import { documentKey } from "../../../domain/ports/pack-ranking.ts";
import type { ServedIndex } from "../../../domain/ports/packs.ts";
import { documentRows } from "../../../domain/ports/vectors.ts";
import type { JobContext } from "../context.ts";
import { describeDocuments } from "../document/describe.ts";

/** Documents that a step describes: damage of the index is looked at between steps. */
const maxAtOnce = 100;
/** Documents that are written together: some megabytes, if they are as long as books. */
const writtenTogether = 20;
/** How often all datasets are compared: an older version of drs beside this one leaves documents without their rows. */
const lookMs = 600_000;

type DescribingContext = Pick<JobContext, "metadata" | "vectors" | "packs" | "maintenance" | "clock" | "log">;

interface Options {
  /** Waits until it is this work's turn; throws when it will not be any more. */
  readonly turn: () => Promise<void>;
}

/**
 * Describes documents whose rows are missing: they were indexed before there were such rows, or the rows are lost. Each step looks
 * at all datasets if it is time to; it returns false if there is nothing left to do.
 */
export function startDescribing(context: DescribingContext, { turn }: Options): () => Promise<boolean> {
  let lookedAt = -Infinity;
  return async () => {
    if (performance.now() - lookedAt < lookMs) return false;
    for (const { id } of await context.metadata.packs.list()) {
      const pack = await context.packs.find(id);
      if (pack?.reads === undefined) continue;
      if ((await describeSome(context, pack, pack.reads, turn)) >= maxAtOnce) return true;
    }
    // Not before: what failed is tried again soon.
    lookedAt = performance.now();
    return false;
  };
}

/** How many. */
async function describeSome(
  context: DescribingContext,
  pack: PackRanking,
  { documents }: SecondStage,
  turn: Options["turn"],
): Promise<number> {
  const { metadata, vectors, log } = context;
  // Nothing to compare: the worker of a server without vectorized documents has no need of the index, nor to load LanceDB.
  if ((await metadata.indices.served(pack.id, undefined, 1)).length === 0) return 0;
  const there = new Set<string>();
  for await (const row of vectors.rowsOf(documents)) {
    if (row.page === documentRows.name) there.add(documentKey(row));
  }
  let described = 0;
  let some: ServedIndex[] = [];
  const describe = async (): Promise<void> => {
    if (some.length === 0) return;
    await turn();
    described += await describeDocuments(context, pack, some);
    some = [];
  };
  for await (const indices of servedIndices(metadata, pack.id)) {
    for (const index of indices) {
      if (there.has(documentKey(index))) continue;
      if (some.push(index) === writtenTogether) await describe();
      if (described >= maxAtOnce) break;
    }
    if (described >= maxAtOnce) break;
  }
  await describe();
  if (described > 0) log.info({ pack: pack.id, documents: described }, "documents described for the ranking");
  return described;
}
