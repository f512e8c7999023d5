import { convertedKey } from "../datasets/dataset.ts";
import type { DatasetId } from "../ids.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { Metadata } from "../ports/metadata.ts";

const atOnce = 500;

/**
 * Records the sizes of converted documents that earlier releases stored without counting them. Runs when the
 * service starts.
 */
export async function noteConvertedSizes({
  metadata,
  blobs,
}: {
  readonly metadata: Pick<Metadata, "datasets">;
  readonly blobs: Pick<BlobStore, "stat">;
}): Promise<void> {
  let after: DatasetId | undefined;
  for (;;) {
    const ids = await metadata.datasets.unconverted(after, atOnce);
    for (const id of ids) {
      const converted = await blobs.stat(convertedKey({ id, convertedKey: null }));
      if (converted !== undefined) await metadata.datasets.noteConverted(id, converted.size);
    }
    after = ids.at(-1);
    if (ids.length < atOnce) return;
  }
}
