import { chooseIndex } from "./chosen-pack.ts";
import { describeDocument } from "./describe.ts";
import { embedInto } from "./embed-pages.ts";
import { planPages } from "./plan.ts";
import type { Run } from "../running.ts";

/** Interval of progress reports that looks live. */
const progressMs = 250;

/** Embeds every readable page that has not been embedded, and resumes where an earlier run was interrupted. */
export async function embedPages(run: Run): Promise<void> {
  const { context, dataset, file, held, inFlight, suspects, signal } = run;
  const { metadata, clock } = context;
  const index = await chooseIndex(run);
  const missing = await metadata.pages.unembedded(dataset.id);
  let indexed = run.pageCount - missing.length;
  let embedded = indexed;
  let reportedAt = performance.now();
  await run.progress("embed", embedded);
  await embedInto(context, {
    ...index,
    dataset,
    file,
    plan: planPages(missing, suspects),
    held,
    inFlight,
    signal,
    // A cancelled job ends within two seconds.
    abort: signal,
    turn: async () => signal.throwIfAborted(),
    async onPage() {
      embedded += 1;
      if (performance.now() - reportedAt < progressMs) return;
      reportedAt = performance.now();
      await run.progress("embed", embedded);
    },
    async mark(outcomes, absentFrom, part) {
      const pages = outcomes.flatMap((outcome) => ("spaces" in outcome ? [outcome.page] : []));
      const failures = outcomes.flatMap((outcome) => ("reason" in outcome ? [outcome] : []));
      await held.confirm(metadata.pages.markEmbedded(held.lease, dataset.id, pages, clock(), { absentFrom, part }));
      if (failures.length > 0) {
        await held.confirm(metadata.pages.noteFailures(held.lease, dataset.id, "embed", failures, clock()));
      }
      indexed += outcomes.length;
      await run.progress("index", indexed);
    },
  });
  await held.check();
  await describeDocument(context, { dataset, ...index });
}
