import { join } from "node:path";
import { unsupported } from "../../domain/errors.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import { openFolderBlobs, type FolderBlobOptions } from "./folder.ts";

export interface BlobOptions extends FolderBlobOptions {
  /** `--blob-url`; undefined: a folder in the data folder. */
  readonly url: string | undefined;
  readonly dataDir: string;
}

/** Opens the blob store that the settings ask for. */
export async function openBlobs({ url, dataDir, ...options }: BlobOptions): Promise<BlobStore> {
  if (url === undefined) return openFolderBlobs(join(dataDir, "blobs"), options);
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0] ?? "this";
  throw unsupported(
    `the blob store address in --blob-url (DRS_BLOB_URL) is not supported by this version of drs (${scheme}:); ` +
      "unset it to keep documents in the data folder",
  );
}
