import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Drs, Downloadable } from "@drs/client";

/** Maximum bytes of a stem: file systems limit names, and drs adds to it. */
const maxStemBytes = 120;

/** Names that Windows reserves for devices, whatever the extension. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Returns a name from elsewhere, without its extension, as part of a file name that is safe on every system: no
 * folders, no control or shell characters, no leading dot or dash, not too long, never empty.
 */
export function safeStem(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const bare = last.replace(/(?<=.)\.[A-Za-z0-9]{1,5}$/, "").normalize("NFC");
  // Keeps letters, digits and a few marks of any script; everything else becomes one dash.
  const clean = bare.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-").replace(/^[-._]+|[-._]+$/g, "");
  let stem = "";
  for (const character of clean) {
    if (Buffer.byteLength(stem + character) > maxStemBytes) break;
    stem += character;
  }
  if (stem === "") return "document";
  return deviceName.test(stem) ? `${stem}-file` : stem;
}

/** File extensions by rendition. */
const extensions = { jpg: "jpg", pdf: "pdf", embedding_image: "json" } as const;

/** Returns a file name such as `manual-p0007.jpg`, which sorts by page. */
export function pageFileName({
  fileName,
  page,
  row,
}: {
  fileName: string;
  page: number;
  row: keyof typeof extensions;
}): string {
  return `${safeStem(fileName)}-p${String(page).padStart(4, "0")}.${extensions[row]}`;
}

interface Saving {
  readonly signal: AbortSignal;
  /** Changes the bytes before they are written. Default: unchanged. */
  readonly change?: ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined;
}

/** Saves the target of a share link. A file of that name is replaced atomically. */
export async function saveShared(
  drs: Drs,
  shared: Downloadable,
  path: string,
  { signal, change }: Saving,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.part`;
  try {
    const download = await drs.download(shared, { signal });
    const bytes = change === undefined ? download.body : [await change(await download.bytes())];
    await pipeline(Readable.from(bytes), createWriteStream(partial), { signal });
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    throw cause;
  }
}
