import { afterAll, beforeAll } from "vitest";
import type { DatasetId, WorkspaceId } from "../../../server/domain/ids.ts";
import type { VectorStore } from "../../../server/domain/ports/vector-store.ts";
import type { DenseSpace, LexicalSpace, PageHit, SearchScope } from "../../../server/domain/ports/vectors.ts";
import { createPlacement, type SpaceStore, bySpace } from "./by-space.ts";

/** An empty vector store, to which further connections can be opened. */
export interface VectorFixture {
  connect(): Promise<VectorStore>;
  /** Removes the tables that have been given up. */
  sweep(): Promise<void>;
  /** Bytes that it takes on its medium. */
  size(): Promise<number>;
  dispose(): Promise<void>;
}

export type OpenVectorFixture = () => Promise<VectorFixture>;

const dimensions = 16;
export const dense: DenseSpace = { kind: "dense", pack: "contract@1", name: "text", dimensions };
export const lexical: LexicalSpace = { kind: "lexical", pack: "contract@1", name: "words" };

/** A vector along one axis, turned towards the next one by `tilt`. */
export function axis(at: number, tilt = 0): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[at % dimensions] = 1;
  vector[(at + 1) % dimensions] = tilt;
  return vector;
}

export const pagesOf = (hits: readonly PageHit[]): number[] => hits.map(({ page }) => page);

export const scope = (workspaceId: WorkspaceId, datasetIds?: readonly DatasetId[], limit = 10): SearchScope => ({
  workspaceId,
  datasetIds,
  limit,
});

interface OpenVectors<Store> {
  readonly store: Store;
  connect(): Promise<Store>;
  size(): Promise<number>;
}

/** Gives each group of cases a store of its own. */
export function useTables(open: OpenVectorFixture): OpenVectors<VectorStore> {
  let fixture: VectorFixture | undefined;
  let store: VectorStore | undefined;
  function opened<Value>(value: Value | undefined): Value {
    if (value === undefined) throw new Error("the store is there only while cases run");
    return value;
  }
  const connect = async (): Promise<VectorStore> => {
    const connected = await opened(fixture).connect();
    const maintain = async (): Promise<void> => {
      await connected.maintain();
      await opened(fixture).sweep();
    };
    return { ...connected, maintain };
  };
  beforeAll(async () => {
    fixture = await open();
    store = await connect();
  });
  afterAll(async () => fixture?.dispose());
  return {
    get store() {
      return opened(store);
    },
    connect,
    size: async () => opened(fixture).size(),
  };
}

/** The same, one space at a time. */
export function useVectors(open: OpenVectorFixture): OpenVectors<SpaceStore> {
  const tables = useTables(open);
  const placement = createPlacement();
  let store: SpaceStore | undefined;
  return {
    get store() {
      return (store ??= bySpace(tables.store, placement));
    },
    connect: async () => bySpace(await tables.connect(), placement),
    size: () => tables.size(),
  };
}
