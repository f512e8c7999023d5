import { mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRowsOnDisk } from "./rows-on-disk.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-rows-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const valueOf = (row: number, bytes = 1_000): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, at) => (row * 7 + at) % 256);
const rowsOf = (from: number, to: number): Map<string, Uint8Array> =>
  new Map(Array.from({ length: to - from }, (_, at) => [`row ${from + at}`, valueOf(from + at)]));
const keys = (from: number, to: number): string[] => [...rowsOf(from, to).keys()];
const sizes = async (): Promise<number[]> =>
  Promise.all(
    (await readdir(folder)).map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        // Removed since the folder was read.
        () => 0,
      ),
    ),
  );

async function write(rows: ReadonlyMap<string, Uint8Array>, maxBytes = 2 ** 20): Promise<void> {
  const cache = openRowsOnDisk({ folder, maxBytes });
  void cache.write(rows);
  await cache.close();
}

async function read(wanted: readonly string[], maxBytes = 2 ** 20): Promise<Record<string, Uint8Array>> {
  const cache = openRowsOnDisk({ folder, maxBytes });
  const found = await cache.read(wanted);
  await cache.close();
  return Object.fromEntries(Array.from(found, ([key, value]) => [key, Uint8Array.from(value)]));
}

test("rows are there as they were written, in this process and in later ones", async () => {
  const cache = openRowsOnDisk({ folder, maxBytes: 2 ** 20 });
  expect((await cache.read(keys(0, 5))).size).toBe(0);
  void cache.write(rowsOf(0, 5));
  await expect.poll(async () => (await cache.read(keys(0, 6))).size).toBe(5);
  void cache.write(rowsOf(3, 8));
  await cache.close();
  await write(new Map([["empty", new Uint8Array()]]));
  expect(await read([...keys(0, 9), "empty"])).toEqual({
    ...Object.fromEntries(rowsOf(0, 8)),
    empty: new Uint8Array(),
  });
});

test("of a file that was cut off, damaged or is something else only whole rows are read", async () => {
  await write(rowsOf(0, 10));
  const [name = ""] = await readdir(folder);
  const path = join(folder, name);
  await truncate(path, (await stat(path)).size - 1);
  expect(Object.keys(await read(keys(0, 10)))).toEqual(keys(0, 9));

  const bytes = await readFile(path);
  const at = bytes.indexOf(valueOf(4)) + 500;
  const handle = await open(path, "r+");
  await handle.write(Uint8Array.of((bytes[at] ?? 0) ^ 1), 0, 1, at);
  await handle.close();
  expect(Object.keys(await read(keys(0, 10)))).toEqual(keys(0, 9).filter((key) => key !== "row 4"));

  await writeFile(path, "no rows at all");
  expect(await read(keys(0, 10))).toEqual({});
});

test("the files stay within their bound, and those written first go first", async () => {
  const maxBytes = 64_000;
  const cache = openRowsOnDisk({ folder, maxBytes });
  for (let from = 0; from < 200; from += 4) {
    void cache.write(rowsOf(from, from + 4));
    await expect.poll(async () => (await cache.read(keys(from, from + 4))).size).toBe(4);
    expect((await sizes()).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxBytes);
  }
  expect((await cache.read(keys(0, 20))).size).toBe(0);
  expect((await cache.read(keys(150, 200))).size).toBe(50);
  await cache.close();
  expect(Object.keys(await read(keys(150, 200), 20_000)).length).toBeLessThan(20);
  expect((await sizes()).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(20_000);
});

test("where nothing can be written nothing is kept, and nothing fails", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  const cache = openRowsOnDisk({ folder: file, maxBytes: 1_000 });
  void cache.write(rowsOf(0, 3));
  expect((await cache.read(keys(0, 3))).size).toBe(0);
  await cache.close();
});

test("files that another process removes are missed, not failed at", async () => {
  await write(rowsOf(0, 3));
  const cache = openRowsOnDisk({ folder, maxBytes: 2 ** 20 });
  await cache.read([]);
  for (const name of await readdir(folder)) await rm(join(folder, name));
  expect((await cache.read(keys(0, 3))).size).toBe(0);
  await cache.close();
});
