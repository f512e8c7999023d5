import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { ComputedPage } from "../../../domain/ports/features.ts";

/** The outcome of embedding a page. */
export type Outcome = ComputedPage | PageFailure;
