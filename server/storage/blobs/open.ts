import { join } from "node:path";
import { unsupported } from "../../domain/errors.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import { parseS3Address, readS3Environment } from "../s3/settings.ts";
import { openFolderBlobs, type FolderBlobOptions } from "./folder.ts";

export interface BlobOptions extends FolderBlobOptions {
  /** The value of `--blob-url`; undefined for a folder in the data folder. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** Maximum size of the local cache for documents of a remote store, in the data folder; 10 GB by default. */
  readonly localCacheBytes?: number | undefined;
}

/** Opens the blob store that the settings ask for. Throws `unsupported`, naming the wrong setting. */
export async function openBlobs({
  url,
  dataDir,
  localCacheBytes = 10 * 2 ** 30,
  ...options
}: BlobOptions): Promise<BlobStore> {
  if (url === undefined) return openFolderBlobs(join(dataDir, "blobs"), options);
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0] ?? "this";
  if (scheme !== "s3") {
    throw unsupported(
      `the blob store address in --blob-url (DRS_BLOB_URL) is not supported by this version of drs (${scheme}:); ` +
        "use s3://BUCKET/PREFIX, or unset it to keep documents in the data folder",
    );
  }
  const address = parseS3Address(url, "--blob-url (DRS_BLOB_URL)");
  const environment = readS3Environment();
  // Loaded only if needed, because the S3 client takes 100 ms and 30 MB.
  const [{ openS3Blobs }, { openLocalCache }] = await Promise.all([
    import("./s3/store.ts"),
    import("./s3/local-cache.ts"),
  ]);
  const cache = await openLocalCache({ folder: join(dataDir, "local-cache"), maxBytes: localCacheBytes });
  return openS3Blobs({ ...address, environment, cache });
}
