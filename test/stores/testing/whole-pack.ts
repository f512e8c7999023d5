import { newDatasetId, newWorkspaceId, type WorkspaceId } from "../../../server/domain/ids.ts";
import type { ComputedPage, Features, PageInSpace } from "../../../server/domain/ports/features.ts";
import type { SpacesOfPack, VectorStore } from "../../../server/domain/ports/vector-store.ts";
import type { DenseSpace, LexicalRow, LexicalSpace, PageKey } from "../../../server/domain/ports/vectors.ts";
import { featureCodec } from "../../../server/storage/features/codec.ts";
import { axis } from "./vectors.ts";

const id = "whole@1";
export const words: LexicalSpace = { kind: "lexical", pack: id, name: "words" };
export const text: DenseSpace = { kind: "dense", pack: id, name: "text", dimensions: 16 };
export const coded: DenseSpace = { ...text, name: "coded", firstPass: "first", givesVectors: true };
export const late: DenseSpace = { ...text, name: "late", scoring: "max-sim", firstPass: "pooled" };
export const documents: LexicalSpace = { kind: "lexical", pack: id, name: "words:documents", unit: "document" };

/** A pack with spaces of every kind. */
export const whole: SpacesOfPack = { id, spaces: [words, text, coded, late], reads: { documents } };
export const denseSpaces = [text, coded, late] as const;

export interface Content {
  readonly words?: string;
  /** The number of the axis that its vectors are along, in each space of vectors. */
  readonly at?: number;
}

export type Index = Omit<PageKey, "page"> & { readonly workspaceId: WorkspaceId };

export const newIndex = (generation = "g1"): Index => ({
  workspaceId: newWorkspaceId(),
  datasetId: newDatasetId(),
  generation,
});

export const keyOf = ({ datasetId, generation }: Index, page: number): PageKey => ({ datasetId, generation, page });

export function featuresOf(index: Index, pages: ReadonlyMap<number, Content>): Features {
  const computed = Array.from(pages, ([page, { words: said, at }]): ComputedPage => {
    const vectors = at === undefined ? [] : [axis(at, page / 1_000), axis(at + 1)];
    const dense = at === undefined ? [] : denseSpaces.map(({ name }) => vectorsIn(name, vectors));
    return { page, spaces: [...dense, ...(said === undefined ? [] : [wordsIn(said)])] };
  });
  return featureCodec.make(whole.spaces, computed, index);
}

const vectorsIn = (space: string, vectors: readonly Float32Array[]): PageInSpace => ({
  space,
  kind: "dense",
  vectors,
  pooled: vectors.slice(0, 1),
});

const wordsIn = (said: string): PageInSpace => ({ space: words.name, kind: "lexical", words: said });

/** Puts pages; gives the name of their table. */
export const putPages = (
  store: VectorStore,
  index: Index,
  pages: Readonly<Record<number, Content>> | ReadonlyMap<number, Content>,
): Promise<string> => {
  const byPage = pages instanceof Map ? pages : new Map(Object.entries(pages).map(([page, is]) => [Number(page), is]));
  return store.put(whole, featuresOf(index, byPage), index);
};

/** Puts texts of a document by what stands for the page. */
export const putDocument = (store: VectorStore, index: Index, texts: Readonly<Record<number, string>>): Promise<void> =>
  store.putDocuments(
    whole,
    Object.entries(texts).map(([page, said]): LexicalRow => ({ ...index, page: Number(page), words: said })),
  );
