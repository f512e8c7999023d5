import { type DatasetId, parseDatasetId, type WorkspaceId } from "../../../../server/domain/ids.ts";
import type { ComputedPage } from "../../../../server/domain/ports/features.ts";
import type { SpacesOfPack, VectorStore } from "../../../../server/domain/ports/vector-store.ts";
import type { DenseSpace, LexicalSpace } from "../../../../server/domain/ports/vectors.ts";
import { featureCodec } from "../../../../server/storage/features/codec.ts";

export const dense: DenseSpace = { kind: "dense", pack: "p@1", name: "text", dimensions: 16 };
export const lexical: LexicalSpace = { kind: "lexical", pack: "p@1", name: "words" };
export const pack: SpacesOfPack = { id: "p@1", spaces: [dense, lexical] };

/** The same in every process. */
const isWorkspaceId = (id: string): id is WorkspaceId => /^ws_[0-9a-z]{26}$/.test(id);
const everyones: string = `ws_${"0".repeat(26)}`;
export const workspaceId: WorkspaceId = known(isWorkspaceId(everyones) ? everyones : undefined);
export const datasetAt = (at: number): DatasetId => known(parseDatasetId(`ds_${String(at).padStart(26, "0")}`));

const pagesPerDataset = 3;
const wordOf = (at: number, page: number): string =>
  `chapter${Array.from(`${at}${page}`, (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;

export function rowsAt(at: number) {
  return Array.from({ length: pagesPerDataset }, (_, index) => ({
    page: index + 1,
    vectors: [Float32Array.from({ length: 16 }, (_, axis) => Math.sin((at * 7 + index * 3 + 1) * (axis + 1)))],
    words: `${wordOf(at, index + 1)} harbour`,
    word: wordOf(at, index + 1),
  }));
}

/** Puts the pages of a dataset; gives the name of their table. */
export function putDataset(store: VectorStore, at: number): Promise<string> {
  const index = { datasetId: datasetAt(at), workspaceId, generation: "a1" };
  const pages = rowsAt(at).map(({ page, vectors, words }): ComputedPage => ({
    page,
    spaces: [
      { space: dense.name, kind: "dense", vectors },
      { space: lexical.name, kind: "lexical", words },
    ],
  }));
  return store.put(pack, featureCodec.make(pack.spaces, pages, index), index);
}

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("not an id");
  return value;
}
