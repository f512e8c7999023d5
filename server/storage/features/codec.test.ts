import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import type { ComputedPage } from "../../domain/ports/features.ts";
import type { SpaceRef } from "../../domain/ports/vectors.ts";
import { featureCodec } from "./codec.ts";
import { pack, spacesOfEachKind, vector } from "./testing/pack.ts";

const spaces = spacesOfEachKind;
const index = { datasetId: newDatasetId(), workspaceId: newWorkspaceId(), generation: "0123456789ab" };

const pages: readonly ComputedPage[] = [
  {
    page: 12,
    spaces: [
      { space: "words", kind: "lexical", words: "Quarterly results" },
      { space: "text", kind: "dense", vectors: [vector(1, 0, 0, 0), vector(0.6, 0.8, 0, 0)] },
      {
        space: "late",
        kind: "dense",
        vectors: [vector(1, 0, 0, 0), vector(0, 1, 0, 0)],
        pooled: [vector(0.5, 0.5, 0, 0)],
      },
      { space: "picture", kind: "dense", vectors: [vector(0, 0, 0, 1)] },
    ],
  },
  // A scan, in the order in which pages are done.
  { page: 3, spaces: [{ space: "picture", kind: "dense", vectors: [vector(0, 0.5, 0.5, 0)] }] },
  // A blank page.
  { page: 4, spaces: [{ space: "words", kind: "lexical", words: " … " }] },
];

test("decoded features are the same as before encoding", async () => {
  const made = featureCodec.make(spaces, pages, index);
  expect(made.pages).toEqual([12, 3, 4]);
  expect([...made.rows].map(([space, rows]) => [space, rows.map(({ page }) => page)])).toEqual([
    ["words", [12]],
    ["text", [12]],
    ["late", [12]],
    ["picture", [12, 3]],
  ]);
  const bytes = await featureCodec.encode(spaces, made);
  const read = await featureCodec.decode(spaces, bytes, index);
  expect(read).toEqual(made);
  // The rows get the keys of another index, as in an import.
  const elsewhere = { ...index, datasetId: newDatasetId() };
  const imported = await featureCodec.decode(spaces, bytes, elsewhere);
  expect(imported.rows.get("words")).toEqual([expect.objectContaining({ ...elsewhere, page: 12 })]);
  expect(await featureCodec.encode(spaces, imported)).toEqual(bytes);
});

test("a part of only blank pages has no rows", async () => {
  const made = featureCodec.make(spaces, [{ page: 1, spaces: [] }], index);
  const read = await featureCodec.decode(spaces, await featureCodec.encode(spaces, made), index);
  expect(read.pages).toEqual([1]);
  expect([...read.rows.values()].flat()).toEqual([]);
});

test("vectors that a space cannot have are refused", async () => {
  const tooShort = [{ page: 1, spaces: [{ space: "text", kind: "dense" as const, vectors: [vector(1, 0)] }] }];
  expect(() => featureCodec.make(spaces, tooShort, index)).toThrow(TypeError);
  const infinite = {
    page: 1,
    spaces: [{ space: "picture", kind: "dense" as const, vectors: [vector(1, 0, 0, Infinity)] }],
  };
  const made = featureCodec.make(spaces, [infinite], index);
  await expect(featureCodec.encode(spaces, made)).rejects.toThrow(TypeError);
});

test("other bytes are refused", async () => {
  const bytes = await featureCodec.encode(spaces, featureCodec.make(spaces, pages, index));
  const other: SpaceRef[] = [{ kind: "lexical", pack, name: "another" }];
  await expect(featureCodec.decode(other, bytes, index)).rejects.toThrow("features without the column another");
  for (const wrong of [new Uint8Array(), Buffer.from("not Arrow at all"), bytes.slice(0, 300), bytes.slice(8)])
    await expect(featureCodec.decode(spaces, wrong, index)).rejects.toThrow(TypeError);
});
