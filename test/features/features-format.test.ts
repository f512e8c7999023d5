import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { ComputedPage, Features } from "../../server/domain/ports/features.ts";
import type { SpaceRef } from "../../server/domain/ports/vectors.ts";
import { featureCodec } from "../../server/storage/features/codec.ts";
import { decodeVectors } from "../../server/storage/vectors/dense/codes.ts";
import { arrowPython, pythonReason, run } from "./python-client/environment.ts";
import { dense, pack, vector } from "../../server/storage/features/testing/pack.ts";

const spaces: readonly SpaceRef[] = [
  { kind: "lexical", pack, name: "words" },
  dense("text", { firstPass: "first", dimensions: 32 }),
  // The last byte of its levels is half empty.
  dense("odd", { firstPass: "first", dimensions: 5 }),
  dense("late", { firstPass: "pooled", scoring: "max-sim" }),
  dense("picture", {}),
];
const waves = (dimensions: number, pace: number): Float32Array =>
  Float32Array.from({ length: dimensions }, (_, at) => Math.sin(pace * (at + 1)));

const pages: readonly ComputedPage[] = [
  {
    page: 12,
    spaces: [
      { space: "words", kind: "lexical", words: "Résumé of Ωmega" },
      { space: "text", kind: "dense", vectors: [waves(32, 1), waves(32, 1.1), new Float32Array(32), waves(32, 2)] },
      { space: "odd", kind: "dense", vectors: [waves(5, 1), waves(5, 2), waves(5, 3)] },
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
  { page: 3, spaces: [{ space: "picture", kind: "dense", vectors: [vector(0, 0.5, -0.75, 0)] }] },
  { page: 7, spaces: [{ space: "text", kind: "dense", vectors: [waves(32, 3)] }] },
  // A blank page.
  { page: 4, spaces: [] },
];

const hasArrow = existsSync(arrowPython);

describe.skipIf(!hasArrow)(`features as pyarrow reads them${hasArrow ? "" : pythonReason}`, () => {
  let folder: string;
  let made: Features;
  let examples: readonly string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-features-"));
    made = featureCodec.make(spaces, pages, {
      datasetId: newDatasetId(),
      workspaceId: newWorkspaceId(),
      generation: "0123456789ab",
    });
    await writeFile(join(folder, "part.arrow"), await featureCodec.encode(spaces, made));
    const docs = await readFile(new URL("../../docs/reference/features-format.md", import.meta.url), "utf8");
    examples = [...docs.matchAll(/```python\n(.*?)```/gs)].map(([, code = ""]) => code);
    await writeFile(join(folder, "decoder.py"), examples[0] ?? "");
    await copyFile(fileURLToPath(new URL("features-format/read.py", import.meta.url)), join(folder, "read.py"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("the columns are those of the docs, with nulls where a page has nothing", async () => {
    const { metadata, columns } = JSON.parse(await run(arrowPython, ["read.py", "part.arrow"], folder));
    expect(metadata).toEqual({ "drs.features": "1", "drs.pack": pack });
    const lists = (size: number) => `fixed_size_list<item: halffloat>[${size}]`;
    expect(columns).toEqual({
      page: { type: "int32", values: [12, 3, 7, 4] },
      words: { type: "string", values: [termsOfFirst(made), null, null, null] },
      "text.first": { type: lists(32), values: [halves(waves(32, 1)), null, halves(waves(32, 3)), null] },
      "text.codes": { type: "binary", values: codesAt("text", 32) },
      "odd.first": { type: lists(5), values: [halves(waves(5, 1)), null, null, null] },
      "odd.codes": { type: "binary", values: codesAt("odd", 5) },
      "late.vectors": {
        type: `list<item: ${lists(4)}>`,
        values: [
          [
            [1, 0, 0, 0],
            [0, 1, 0, 0],
          ],
          null,
          null,
          null,
        ],
      },
      "late.pooled": { type: `list<item: ${lists(4)}>`, values: [[[0.5, 0.5, 0, 0]], null, null, null] },
      "picture.vectors": {
        type: `list<item: ${lists(4)}>`,
        values: [[[0, 0, 0, 1]], [[0, 0.5, -0.75, 0]], null, null],
      },
    });
  });

  test("the example of the docs runs", async () => {
    await writeFile(join(folder, "example.py"), examples.join("\n"));
    expect(await run(arrowPython, ["example.py"], folder)).toBe("12 (4, 32)\n7 (1, 32)\n");
  });

  /** The decoder of drs, which the one of the docs has to agree with; null for a number that is none. */
  function codesAt(space: string, dimensions: number): unknown[] {
    const rows = new Map(made.rows.get(space)?.map((row) => [row.page, row]));
    return made.pages.map((page) => {
      const row = rows.get(page);
      if (row === undefined || !("codes" in row)) return null;
      const vectors = decodeVectors(row.codes, dimensions);
      return vectors.map((one) => [...one].map((value) => (Number.isNaN(value) ? null : expect.closeTo(value, 5))));
    });
  }
});

const halves = (values: Float32Array): number[] => [...new Float16Array(values)];

function termsOfFirst({ rows }: Features): string {
  const [row] = rows.get("words") ?? [];
  return row !== undefined && "terms" in row ? row.terms : "";
}
