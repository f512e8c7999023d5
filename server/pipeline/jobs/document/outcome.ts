import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { PageInSpace } from "../../../embedding/pack.ts";

/** What became of a page. */
export type Outcome = { readonly page: number; readonly spaces: readonly PageInSpace[] } | PageFailure;
