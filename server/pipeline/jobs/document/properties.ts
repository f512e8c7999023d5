import type { JobContext } from "../context.ts";
import type { Run } from "../running.ts";
import { opening } from "./plan.ts";

type Opened = Pick<Run, "dataset" | "file" | "held" | "inFlight" | "suspects" | "signal">;

/**
 * Enters title and author that the file states, which the document is found by. Of a document whose opening took a process along
 * they are not read: it is evidence that it can do without.
 */
export async function noteProperties(
  { metadata, pool }: Pick<JobContext, "metadata" | "pool">,
  { dataset, file, held, inFlight, suspects, signal }: Opened,
): Promise<void> {
  if (suspects.includes(opening)) return;
  await inFlight.start([opening]);
  const { title, author } = await pool.readProperties(file, signal);
  inFlight.end(opening);
  if (title === dataset.title && author === dataset.author) return;
  await held.confirm(metadata.datasets.setProperties(held.lease, dataset.id, { title, author }));
}
