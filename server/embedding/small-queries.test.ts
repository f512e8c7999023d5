import { expect, test } from "vitest";
import type { PackQuery } from "../domain/ports/worker.ts";
import { loadPack, readManifest } from "./load.ts";
import { resolvePackDir } from "./packs.ts";
import { createSmallQueries, isSmall } from "./small-queries.ts";

const builtin = resolvePackDir("builtin");
const pack = "builtin@1.0.0";

function create(folder: string | undefined) {
  const sent: PackQuery[] = [];
  const queries = createSmallQueries({
    folders: { find: async () => folder },
    worker: {
      async embedQuery(query) {
        sent.push(query);
        return [];
      },
    },
  });
  return { queries, sent };
}

test("short questions are embedded by the loaded pack, without the worker", async () => {
  const { queries, sent } = create(builtin);
  const texts = ["how are equations solved", "a table of rivers", "", "how are equations solved"];
  const loaded = await loadPack(builtin);
  const expected = [];
  for (const text of texts) expected.push(await loaded.embedQuery({ text }));
  expect(await Promise.all(texts.map((text) => queries.embedQuery({ pack, text })))).toEqual(expected);
  expect(sent).toEqual([]);
  await loaded.close();
});

test("pictures, long texts, and missing or unreadable packs go to the worker", async () => {
  const here = create(builtin);
  const queries: PackQuery[] = [
    { pack, image: Uint8Array.of(1, 2, 3) },
    { pack, text: "river", image: Uint8Array.of(1, 2, 3) },
    { pack, text: "river ".repeat(200) },
  ];
  for (const query of queries) expect(await here.queries.embedQuery(query)).toEqual([]);
  expect(here.sent).toEqual(queries);
  for (const folder of [undefined, "/nowhere"]) {
    const { queries: elsewhere, sent } = create(folder);
    await elsewhere.embedQuery({ pack, text: "river" });
    expect(sent).toEqual([{ pack, text: "river" }]);
  }
});

test("packs with large graphs or towers of their own are not small", async () => {
  const manifest = await readManifest(builtin);
  expect(isSmall(manifest)).toBe(true);
  const large = manifest.files.map((file) => (file.path === "text.onnx" ? { ...file, bytes: 65 * 2 ** 20 } : file));
  expect(isSmall({ ...manifest, files: large })).toBe(false);
});
