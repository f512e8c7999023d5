import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { openLanceVectors } from "../../server/storage/vectors/open.ts";

/** Calls `use` with an empty temporary index. */
export async function withOwnIndex<Result>(use: (vectors: VectorStore) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-eval-"));
  const metadata = await openMetadata({ url: undefined, dataDir });
  const vectors = await openLanceVectors({ url: join(dataDir, "vectors"), metadata, clock: Date.now });
  try {
    return await use(vectors);
  } finally {
    await vectors.close();
    await metadata.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
