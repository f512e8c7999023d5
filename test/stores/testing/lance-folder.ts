import { rmSync } from "node:fs";
import { cp, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import type { VectorStore } from "../../../server/domain/ports/vector-store.ts";
import { openMetadata } from "../../../server/storage/metadata/open.ts";
import { type LanceOptions, openLanceVectors } from "../../../server/storage/vectors/open.ts";

/** A database of its own, which says which tables there are. */
export interface Catalog {
  readonly metadata: Metadata;
  readonly dataDir: string;
  close(): Promise<void>;
  dispose(): Promise<void>;
}

let template: Promise<string> | undefined;

/** Copied, since the migrations take longer than most cases. */
async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "drs-catalog-template-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await (await openMetadata({ url: undefined, dataDir: folder })).close();
  return folder;
}

/** `from`: the folder of one that is closed, to begin with what it has. */
export async function openCatalog(from?: string): Promise<Catalog> {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-catalog-"));
  await cp(from ?? (await (template ??= makeTemplate())), dataDir, { recursive: true });
  const metadata = await openMetadata({ url: undefined, dataDir });
  return {
    metadata,
    dataDir,
    close: () => metadata.close(),
    dispose: () => rm(dataDir, { recursive: true }),
  };
}

/** Removes the tables that have been given up, as the sweep of garbage does. */
export async function sweepTables(metadata: Metadata, store: VectorStore): Promise<void> {
  for (const garbage of await metadata.garbage.due(Date.now(), 10_000)) {
    if (garbage.kind !== "table") continue;
    await store.removeTable(garbage.key);
    await metadata.garbage.done(garbage);
  }
}

/** A folder of tables, with the database that says which there are. */
export interface LanceFolder {
  readonly url: string;
  readonly dataDir: string;
  readonly metadata: Metadata;
  open(options?: Partial<LanceOptions>): Promise<VectorStore>;
  /** Folders of tables. */
  tables(): Promise<string[]>;
  size(): Promise<number>;
  sweep(): Promise<void>;
  /** Ends its use, but leaves what is in it, to be copied. */
  close(): Promise<void>;
  dispose(): Promise<void>;
}

/** `from`: one that is closed, to begin with what it has. */
export async function openLanceFolder(from?: Pick<LanceFolder, "url" | "dataDir">): Promise<LanceFolder> {
  const url = await mkdtemp(join(tmpdir(), "drs-vectors-"));
  if (from !== undefined) await cp(from.url, url, { recursive: true, preserveTimestamps: true });
  const catalog = await openCatalog(from?.dataDir);
  const { metadata, dataDir } = catalog;
  const stores: VectorStore[] = [];
  const open = async (options: Partial<LanceOptions> = {}): Promise<VectorStore> => {
    const store = await openLanceVectors({ url, metadata, clock: Date.now, retentionMs: 0, ...options });
    stores.push(store);
    return store;
  };
  async function close(): Promise<void> {
    for (const store of stores.splice(0)) await store.close();
    await catalog.close();
  }
  return {
    url,
    dataDir,
    metadata,
    open,
    tables: async () => (await readdir(url)).filter((name) => name.endsWith(".lance")).map((name) => join(url, name)),
    size: () => sizeOf(url),
    sweep: async () => sweepTables(metadata, stores[0] ?? (await open())),
    close,
    async dispose() {
      await close();
      await Promise.all([url, dataDir].map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
