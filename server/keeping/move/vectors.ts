import type { DatasetId } from "../../domain/ids.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { SpaceRef, StoredRow, VectorStore } from "../../domain/ports/vectors.ts";

/** Datasets whose rows are moved together. */
const datasetsAtOnce = 100;
/** Rows of one put: few and large ones keep the tables whole. */
const rowsPerPut = 1000;

interface Moving {
  readonly metadata: Pick<Metadata, "packs" | "datasets">;
  readonly packs: { find(id: string): Promise<PackRanking | undefined> };
  readonly from: VectorStore;
  readonly to: VectorStore;
  /** By space: up to which dataset its rows are there. */
  readonly upTo: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onMoved: (space: string, upTo: DatasetId, rows: number) => Promise<void>;
}

/** Copies the rows of all datasets in all spaces, dataset by dataset; those that are there already are replaced. */
export async function moveVectors(moving: Moving): Promise<void> {
  const { metadata, packs, from, upTo } = moving;
  // Before anything is read: damage that is found on the way would be mended without being told.
  await from.verify("files");
  for (const { id } of await metadata.packs.list()) {
    const pack = await packs.find(id);
    if (pack === undefined) continue;
    // Made again where they are missing, but until then pages would be ranked otherwise than in the source.
    const documents = pack.reads === undefined ? [] : [pack.reads.documents];
    for (const space of [...pack.spaces, ...documents]) {
      await moveSpace(moving, space, upTo[nameOf(space)]);
    }
  }
}

const nameOf = ({ pack, name }: SpaceRef): string => `${pack}/${name}`;

async function moveSpace(
  { metadata, from, to, signal, onMoved }: Moving,
  space: SpaceRef,
  reached: string | undefined,
): Promise<void> {
  let after: DatasetId | undefined;
  for (;;) {
    const ids = (await metadata.datasets.all(after, datasetsAtOnce)).map(({ id }) => id);
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
    if (reached === undefined || last > reached) {
      const rows = await moveDatasets({ from, to, signal }, space, ids);
      await onMoved(nameOf(space), last, rows);
    }
    if (ids.length < datasetsAtOnce) return;
  }
}

async function moveDatasets(
  { from, to, signal }: Pick<Moving, "from" | "to" | "signal">,
  space: SpaceRef,
  ids: readonly DatasetId[],
): Promise<number> {
  let rows = 0;
  let waiting: StoredRow[] = [];
  const put = async (): Promise<void> => {
    signal.throwIfAborted();
    if (waiting.length > 0) await to.putRows(space, waiting);
    rows += waiting.length;
    waiting = [];
  };
  for await (const some of from.readRows(space, ids)) {
    waiting.push(...some);
    if (waiting.length >= rowsPerPut) await put();
  }
  await put();
  return rows;
}
