import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { ComputedPage } from "../../../domain/ports/features.ts";

/** What became of a page. */
export type Outcome = ComputedPage | PageFailure;
