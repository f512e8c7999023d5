import type { PageWorker, QueryInSpace } from "../domain/ports/worker.ts";
import type { PackFolders } from "./registry.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { LoadedPack } from "./pack.ts";

/** Text graphs up to this size take well under a millisecond for a question; the built-in one has 23 MB. */
const maxGraphBytes = 64 * 2 ** 20;
/** Maximum characters of a question that is embedded here, which takes 3 ms of the thread that answers requests. */
const maxTextLength = 1_000;

interface Options {
  readonly folders: PackFolders;
  /** Embeds all other queries. */
  readonly worker: Pick<PageWorker, "embedQuery">;
}

/**
 * Embeds short questions in words in the calling thread, with packs whose graphs are small: a call through two processes takes
 * ten times as long as the graph. Pictures, long texts, and packs with towers of their own or large graphs go to the worker. So
 * does a pack that cannot be loaded here, because the worker reports the reason.
 */
export function createSmallQueries({ folders, worker }: Options): Pick<PageWorker, "embedQuery"> {
  const loading = new Map<string, Promise<LoadedPack | undefined>>();
  let last: Promise<unknown> = Promise.resolve();

  async function packOf(id: string): Promise<LoadedPack | undefined> {
    const packDir = await folders.find(id);
    if (packDir === undefined) return undefined;
    const known = loading.get(packDir);
    if (known !== undefined) return known;
    const pack = loadSmall(packDir);
    // One pack is in use, and for a while a second one.
    for (const [dir, unused] of [...loading].slice(0, -1)) {
      loading.delete(dir);
      last = last.then(async () => (await unused)?.close()).catch(() => undefined);
    }
    loading.set(packDir, pack);
    return pack;
  }

  return {
    async embedQuery(query, signal) {
      const { pack: id, text = "", image } = query;
      const isShort = image === undefined && text.length <= maxTextLength;
      const pack = isShort ? await packOf(id) : undefined;
      if (pack === undefined) return worker.embedQuery(query, signal);
      // A pack serves one call at a time.
      const embedded: Promise<readonly QueryInSpace[]> = last.then(() => pack.embedQuery({ text }));
      last = embedded.catch(() => undefined);
      return embedded;
    },
  };
}

async function loadSmall(packDir: string): Promise<LoadedPack | undefined> {
  try {
    if (!isSmall(await readManifest(packDir))) return undefined;
    // The modules that run graphs are loaded with the first pack: an API process without documents does not need them.
    const { loadPack } = await import("./load.ts");
    return await loadPack(packDir);
  } catch {
    return undefined;
  }
}

export function isSmall({ spaces, files }: Pick<Manifest, "spaces" | "files">): boolean {
  const graphs = new Set(spaces.flatMap((space) => (space.kind === "text" ? [space.graph.file] : [])));
  const bytes = files.reduce((sum, file) => sum + (graphs.has(file.path) ? file.bytes : 0), 0);
  return bytes <= maxGraphBytes && spaces.every(({ kind }) => kind !== "model");
}
