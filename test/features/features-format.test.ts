import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { SpaceRef } from "../../server/domain/ports/vectors.ts";
import { featureCodec } from "../../server/storage/features/codec.ts";
import { hasPython, pythonReason, runWith } from "./python-client/environment.ts";

const dimensions = 9;
const pack = "pack@1.0.0";
const spaces: readonly SpaceRef[] = [
  { kind: "lexical", pack, name: "words" },
  { kind: "dense", pack, name: "text", dimensions, firstPass: "first" },
  { kind: "dense", pack, name: "late", dimensions, firstPass: "pooled", scoring: "max-sim" },
];

/** Of length 1, and near to each other as those of a page are. */
const vectors = [0, 1, 2].map((number) => {
  const values = Float32Array.from({ length: dimensions }, (_, at) => 1 + Math.sin(at + 2 * number) / 2);
  return values.map((value) => value / Math.hypot(...values));
});

const program = `
import json, sys
import pyarrow as pa
table = pa.ipc.open_file(sys.argv[1]).read_all()
columns = {name: table[name].to_pylist() for name in table.column_names if name != "text.codes"}
codes = [None if one is None else decode(one, ${dimensions}).tolist() for one in table["text.codes"].to_pylist()]
metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
types = {field.name: str(field.type) for field in table.schema}
print(json.dumps({"columns": columns, "codes": codes, "metadata": metadata, "types": types}))
`;

describe.skipIf(!hasPython)(`features that pyarrow reads${pythonReason}`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-features-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("are as docs/features-format.md says, and so are the codes", async () => {
    const pages = [
      {
        page: 7,
        spaces: [
          { space: "words", kind: "lexical", words: "Heating of the building" },
          { space: "text", kind: "dense", vectors },
          { space: "late", kind: "dense", vectors, pooled: vectors.slice(1, 2) },
        ],
      },
      { page: 2, spaces: [] },
    ] as const;
    const index = { datasetId: newDatasetId(), workspaceId: newWorkspaceId(), generation: "g" };
    const path = join(folder, "part.arrow");
    await writeFile(path, await featureCodec.encode(spaces, featureCodec.make(spaces, pages, index)));
    const docs = await readFile(new URL("../../docs/features-format.md", import.meta.url), "utf8");
    const decoder = /```python\n([^`]*)```/.exec(docs)?.[1] ?? "";
    const packages = ["pyarrow==26.0.1", "numpy==2.4.6"];
    const read: unknown = JSON.parse(await runWith(packages, decoder + program, [path]));
    const near = (vector: Float32Array, digits: number) =>
      Array.from(vector, (value): unknown => expect.closeTo(value, digits));
    expect(read).toEqual({
      metadata: { "drs.features": "1", "drs.pack": pack },
      types: {
        page: "int32",
        words: "string",
        "text.first": `fixed_size_list<item: halffloat>[${dimensions}]`,
        "text.codes": "binary",
        "late.vectors": `list<item: fixed_size_list<item: halffloat>[${dimensions}]>`,
        "late.pooled": `list<item: fixed_size_list<item: halffloat>[${dimensions}]>`,
      },
      columns: {
        page: [7, 2],
        words: ["Heating of the building", null],
        "text.first": [near(vectors[0] ?? new Float32Array(), 3), null],
        "late.vectors": [vectors.map((vector) => near(vector, 3)), null],
        "late.pooled": [vectors.slice(1, 2).map((vector) => near(vector, 3)), null],
      },
      codes: [vectors.map((vector) => near(vector, 1)), null],
    });
  }, 120_000);
});
