import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonValue } from "fast-check";

/** The line of a dataset in the list of an archive. */
export interface Listed {
  readonly id: string;
  readonly pages: { readonly count: number; readonly size: number; readonly sha256: string };
  readonly features: readonly object[];
}

export const fileOf = (bytes: Buffer) => ({
  size: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

/** The leaf of a number, counted over all of them, with another value. */
export function replaced<Json>(json: Json, at: number, value: JsonValue): Json {
  const copy = structuredClone(json);
  const leaves: (() => void)[] = [];
  const collect = (holder: object): void => {
    for (const [name, held] of Object.entries(holder)) {
      if (typeof held === "object" && held !== null) collect(held);
      leaves.push(() => Reflect.set(holder, name, value));
    }
  };
  collect(Object(copy));
  leaves[at % leaves.length]?.();
  return copy;
}

export async function spoilPage(dir: string, list: Listed, at: number, value: JsonValue): Promise<void> {
  const path = join(dir, "pages", `${list.id}.jsonl`);
  const pages = (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  const bytes = Buffer.from(
    replaced(pages, at, value)
      .map((page) => `${JSON.stringify(page)}\n`)
      .join(""),
  );
  await writeFile(path, bytes);
  await relist(dir, { ...list, pages: { ...list.pages, ...fileOf(bytes) } });
}

/** Writes the list of datasets, and its checksum into the manifest. */
export async function relist(dir: string, list: Listed): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(list)}\n`);
  await writeFile(join(dir, "datasets.jsonl"), bytes);
  const manifest = JSON.parse(await readFile(join(dir, "manifest.json"), "utf8")) as object;
  await writeFile(join(dir, "manifest.json"), JSON.stringify({ ...manifest, list: fileOf(bytes) }));
}
