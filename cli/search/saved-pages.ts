import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { mapConcurrent } from "../bounded.ts";
import type { CommandIo } from "../command-io.ts";
import type { Session } from "../commands/command.ts";
import { describeFailure } from "../failures.ts";
import { pageFileName, saveShared } from "../files/page-file.ts";
import { printable } from "../output/printable.ts";
import { drawHighlights } from "../pictures/gallery.ts";
import type { FoundPage } from "./found-pages.ts";

/** Long enough to look at the results, short enough that pictures of documents do not pile up. */
const maxAgeMs = 24 * 3_600_000;

/**
 * Creates a folder for the pictures of one search, in the user's cache and readable by the user only. Removes folders
 * of searches older than a day.
 */
export async function makeFoundFolder(env: CommandIo["env"], now: number = Date.now()): Promise<string> {
  const parent = join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "drs", "found");
  await mkdir(parent, { recursive: true, mode: 0o700 });
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    const { mtimeMs = now } = (await stat(folder).catch(() => undefined)) ?? {};
    // Another search may be removing it as well; what cannot be removed now will be removed next time.
    if (now - mtimeMs > maxAgeMs) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(join(parent, "search-"));
}

const savesAtOnce = 4;

/**
 * Saves the pages in the folder. If no folder is given, it saves them only if their links end with this command, in a
 * folder of their own.
 */
export async function savePages(
  session: Session,
  pages: readonly FoundPage[],
  folder: string | undefined,
): Promise<FoundPage[]> {
  const { output, linksEnd, io } = session;
  if (folder !== undefined) return mapConcurrent(pages, savesAtOnce, (page) => savePage(session, page, folder));
  if (!linksEnd() || pages.length === 0) return [...pages];
  const own = await makeFoundFolder(io.env);
  return mapConcurrent(pages, savesAtOnce, async (page) => {
    try {
      return await savePage(session, page, own);
    } catch (cause) {
      io.signal.throwIfAborted();
      // The ranking is not lost because one page cannot be saved.
      output.note(`page ${page.col} of ${printable(page.fileName)}: ${printable(describeFailure(cause).message)}`);
      return page;
    }
  });
}

async function savePage({ drs, io }: Session, page: FoundPage, folder: string): Promise<FoundPage> {
  const name = pageFileName({ fileName: page.fileName, page: page.col, row: page.row });
  const savedTo = join(folder, `${String(page.rank).padStart(2, "0")}-${name}`);
  const { row, highlights = [] } = page;
  const isMarked = row === "jpg" && highlights.length > 0;
  const change = isMarked ? (picture: Uint8Array) => drawHighlights(picture, highlights) : undefined;
  await saveShared(drs, page, savedTo, { signal: io.signal, change });
  return { ...page, savedTo };
}
