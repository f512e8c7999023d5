import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { sharedStores } from "./shared-stores.ts";

/** A connection to the metadata of a server's data folder, wherever this run of the tests keeps it. */
export async function openMetadataOf(dataDir: string): Promise<Metadata> {
  const stores = await sharedStores(dataDir);
  return openMetadata({ url: stores?.databaseUrl, dataDir });
}
