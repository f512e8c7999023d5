import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSavedUploads, type SavedUpload, savedUploadOf, type SavedUploads } from "./saved-uploads.ts";

let home: string;
let saved: SavedUploads;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "drs-state-"));
  saved = openSavedUploads({ XDG_STATE_HOME: home });
});
afterEach(() => rm(home, { recursive: true }));

const file = { server: "http://127.0.0.1:8420", path: "/a.pdf", size: 20, modifiedAt: 1.5, vectorize: false };
function upload(key: string, { parts = 1, expiresAt = Date.now() + 60_000, savedAt = 1 } = {}): SavedUpload {
  return {
    ...file,
    expiresInDays: undefined,
    fileName: undefined,
    savedAt,
    state: {
      key,
      fileName: "a.pdf",
      fileSize: 20,
      partBytes: 10,
      vectorize: false,
      expiresAt,
      parts: Array.from({ length: parts }, (_, index) => ({ partNumber: index + 1, etag: "00", size: 10 })),
    },
  };
}

test("keeps the last state of each upload, for this user only", async () => {
  void saved.keep(upload("tmp_1", { parts: 1 }));
  void saved.keep(upload("tmp_1", { parts: 2 }));
  await saved.keep(upload("tmp_2", { savedAt: 0 }));
  const all = await saved.list();
  expect(all.map(({ state }) => [state.key, state.parts.length])).toEqual([
    ["tmp_2", 1],
    ["tmp_1", 2],
  ]);
  expect((await stat(join(saved.folder, "tmp_1.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(saved.folder)).mode & 0o777).toBe(0o700);
  expect((await readdir(saved.folder)).toSorted()).toEqual(["tmp_1.json", "tmp_2.json"]);
});

test("forgets, also what was about to be written", async () => {
  void saved.keep(upload("tmp_1"));
  void saved.keep(upload("tmp_1"));
  await saved.forget("tmp_1");
  await saved.forget("tmp_unknown");
  expect(await saved.list()).toEqual([]);
});

test("what expired, is broken or is not ours is no upload", async () => {
  await saved.keep(upload("tmp_old", { expiresAt: Date.now() - 1 }));
  await saved.keep(upload("tmp_1"));
  await writeFile(join(saved.folder, "half.json"), '{"server": "http');
  await writeFile(join(saved.folder, "other.json"), JSON.stringify({ ...upload("../x"), size: -1 }));
  const text = await readFile(join(saved.folder, "tmp_1.json"), "utf8");
  await writeFile(join(saved.folder, "out.json"), text.replace("tmp_1", "../../out"));
  expect((await saved.list()).map(({ state }) => state.key)).toEqual(["tmp_1"]);
  expect(await readdir(saved.folder)).not.toContain("tmp_old.json");
  expect(() => saved.keep(upload("../../etc"))).toThrow("is not the key");
});

test("belongs to one file as it was, and to one server", () => {
  const all = [upload("tmp_1"), upload("tmp_2")];
  expect(savedUploadOf(all, file)?.state.key).toBe("tmp_2");
  for (const other of [
    { size: 21 },
    { modifiedAt: 2 },
    { path: "/b.pdf" },
    { server: "http://x" },
    { vectorize: true },
  ])
    expect(savedUploadOf(all, { ...file, ...other })).toBeUndefined();
});
