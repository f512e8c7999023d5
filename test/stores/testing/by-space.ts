import type { DatasetId, WorkspaceId } from "../../../server/domain/ids.ts";
import type { ComputedPage } from "../../../server/domain/ports/features.ts";
import type { SpacesOfPack, VectorStore } from "../../../server/domain/ports/vector-store.ts";
import type {
  DenseRow,
  DenseSpace,
  LexicalRow,
  LexicalSpace,
  PageKey,
  SpaceRef,
  TermsRow,
  VectorSearches,
} from "../../../server/domain/ports/vectors.ts";
import { featureCodec } from "../../../server/storage/features/codec.ts";

/**
 * A store that is asked about one space at a time: each has a pack, and so a table, of its own. It knows where rows of datasets
 * have been put, so that cases need not say it.
 */
export interface SpaceStore extends VectorSearches, Pick<VectorStore, "searching" | "maintain" | "ping" | "close"> {
  putDense(space: DenseSpace, rows: readonly DenseRow[]): Promise<void>;
  putLexical(space: LexicalSpace, rows: readonly (LexicalRow | TermsRow)[]): Promise<void>;
  removeDataset(
    datasetId: DatasetId,
    only?: { readonly pack?: string | undefined; readonly generation?: string },
  ): Promise<void>;
  removePack(pack: string): Promise<void>;
  vectorsOf(
    space: DenseSpace,
    datasetId: DatasetId,
    page: number,
    generation: string,
  ): Promise<readonly Float32Array[]>;
  rowsOf(space: SpaceRef, datasetId?: DatasetId): AsyncIterable<PageKey>;
  /** Why tables of the space were given up. */
  verify(space: SpaceRef): Promise<readonly string[]>;
}

interface Place {
  readonly datasetId: DatasetId;
  readonly workspaceId: WorkspaceId;
  /** The one that cases know. */
  readonly pack: string;
  /** That of the space alone. */
  readonly packOfSpace: string;
}

/** Where rows have been put, by all connections. */
export type Placement = Map<string, Place>;

export const createPlacement = (): Placement => new Map();

/** The space in a pack of its own. */
export const alone = <Space extends SpaceRef>(space: Space): Space => ({
  ...space,
  pack: `${space.pack}~${space.name}`,
});

export function packOf(space: SpaceRef): SpacesOfPack {
  const own = alone(space);
  const isOfDocuments = own.kind === "lexical" && own.unit === "document";
  return isOfDocuments ? { id: own.pack, spaces: [], reads: { documents: own } } : { id: own.pack, spaces: [own] };
}

const searchesBySpace = (searches: VectorSearches): VectorSearches => ({
  searchDense: (space, ...asked) => searches.searchDense(alone(space), ...asked),
  scorePages: (space, ...asked) => searches.scorePages(alone(space), ...asked),
  searchLexical: (space, ...asked) => searches.searchLexical(alone(space), ...asked),
  meeting: (space, ...asked) => searches.meeting(alone(space), ...asked),
  termsOf: (space, ...asked) => searches.termsOf(alone(space), ...asked),
  hasWord: (space, ...asked) => searches.hasWord(alone(space), ...asked),
});

export function bySpace(store: VectorStore, placement: Placement): SpaceStore {
  function note(space: SpaceRef, rows: readonly { datasetId: DatasetId; workspaceId: WorkspaceId }[]): void {
    const packOfSpace = alone(space).pack;
    for (const { datasetId, workspaceId } of rows) {
      const place = { datasetId, workspaceId, pack: space.pack, packOfSpace };
      placement.set(`${datasetId} ${workspaceId} ${packOfSpace}`, place);
    }
  }

  function workspacesIn(space: SpaceRef): ReadonlySet<WorkspaceId> {
    const places = [...placement.values()].filter(({ packOfSpace }) => packOfSpace === alone(space).pack);
    return new Set(places.map(({ workspaceId }) => workspaceId));
  }

  async function put<Row extends PageKey & { readonly workspaceId: WorkspaceId }>(
    space: SpaceRef,
    rows: readonly Row[],
    toPage: (row: Row) => ComputedPage["spaces"][number],
  ): Promise<void> {
    note(space, rows);
    const pack = packOf(space);
    const byIndex = Map.groupBy(rows, (row) => `${row.workspaceId} ${row.datasetId} ${row.generation}`);
    for (const some of byIndex.values()) {
      const [index] = some;
      if (index === undefined) continue;
      const pages = some.map((row) => ({ page: row.page, spaces: [toPage(row)] }));
      await store.put(pack, featureCodec.make(pack.spaces, pages, index), index);
    }
  }

  return {
    ...searchesBySpace(store),
    searching: () => searchesBySpace(store.searching()),
    maintain: () => store.maintain(),
    ping: () => store.ping(),
    close: () => store.close(),

    putDense: (space, rows) =>
      put(space, rows, ({ vectors, pooled }) => ({
        kind: "dense",
        space: space.name,
        vectors,
        ...(pooled !== undefined && { pooled }),
      })),

    async putLexical(space, rows) {
      if (space.unit === "document") {
        note(space, rows);
        return store.putDocuments(packOf(space), rows);
      }
      await put(space, rows, (row) => {
        if ("terms" in row) throw new TypeError("pages come with their words");
        return { kind: "lexical", space: space.name, words: row.words };
      });
    },

    async removeDataset(datasetId, { pack, generation } = {}) {
      for (const place of placement.values()) {
        if (place.datasetId !== datasetId || (pack !== undefined && place.pack !== pack)) continue;
        const { workspaceId, packOfSpace } = place;
        await store.remove({ workspaceId, pack: packOfSpace, datasetId, generation });
      }
    },

    async removePack(pack) {
      const packs = [...placement.values()].filter((place) => place.pack === pack);
      for (const packOfSpace of new Set(packs.map((place) => place.packOfSpace))) await store.removePack(packOfSpace);
    },

    async vectorsOf(space, datasetId, page, generation) {
      const own = alone(space);
      const isIt = (place: Place): boolean => place.datasetId === datasetId && place.packOfSpace === own.pack;
      const place = placement.values().find(isIt);
      return place === undefined ? [] : store.vectorsOf(own, { datasetId, page, generation }, place.workspaceId);
    },

    async *rowsOf(space, datasetId) {
      for (const workspaceId of workspacesIn(space)) yield* store.rowsOf(alone(space), workspaceId, datasetId);
    },

    async verify(space) {
      const reasons: string[] = [];
      for (const workspaceId of workspacesIn(space)) {
        const why = await store.verify({ workspaceId, pack: alone(space).pack });
        if (why !== undefined) reasons.push(why);
      }
      return reasons;
    },
  };
}
