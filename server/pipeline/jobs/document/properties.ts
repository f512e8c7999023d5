import type { JobContext } from "../context.ts";
import type { Run } from "../running.ts";
import { opening } from "./plan.ts";

type OpenDocument = Pick<Run, "dataset" | "file" | "held" | "inFlight" | "suspects" | "signal">;

/**
 * Records the title and author that the file declares, by which the document is found. They are not read if opening the
 * document ended a process before, because the document can do without them.
 */
export async function noteProperties(
  { metadata, pool }: Pick<JobContext, "metadata" | "pool">,
  { dataset, file, held, inFlight, suspects, signal }: OpenDocument,
): Promise<void> {
  if (suspects.includes(opening)) return;
  await inFlight.start([opening]);
  const { title, author } = await pool.readProperties(file, signal);
  inFlight.end(opening);
  if (title === dataset.title && author === dataset.author) return;
  await held.confirm(metadata.datasets.setProperties(held.lease, dataset.id, { title, author }));
}
