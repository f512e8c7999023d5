import { afterAll, beforeAll } from "vitest";
import type { DatasetId, WorkspaceId } from "../../../server/domain/ids.ts";
import type {
  DenseSpace,
  LexicalSpace,
  PageHit,
  SearchScope,
  VectorStore,
} from "../../../server/domain/ports/vectors.ts";

/** An empty vector store, to which further connections can be opened. */
export interface VectorFixture {
  connect(): Promise<VectorStore>;
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

/** Gives each group of cases a store of its own. */
export function useVectors(
  open: OpenVectorFixture,
): Pick<VectorFixture, "connect" | "size"> & { readonly store: VectorStore } {
  let fixture: VectorFixture | undefined;
  let store: VectorStore | undefined;
  beforeAll(async () => {
    fixture = await open();
    store = await fixture.connect();
  });
  afterAll(async () => fixture?.dispose());
  function opened<Value>(value: Value | undefined): Value {
    if (value === undefined) throw new Error("the store is there only while cases run");
    return value;
  }
  return {
    get store() {
      return opened(store);
    },
    connect: async () => opened(fixture).connect(),
    size: async () => opened(fixture).size(),
  };
}
