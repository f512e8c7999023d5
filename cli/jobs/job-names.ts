import type { Drs, Job } from "@drs/client";
import { mapConcurrent } from "../bounded.ts";
import { documentName } from "../documents/document-name.ts";
import type { NamedJob } from "./job-text.ts";

const namesAtOnce = 4;
/** Maximum number of documents whose names are read, newest first: a hundred requests. */
const maxNamesRead = 10_000;

/** Adds the names of their documents to a few jobs. */
export async function withNames(drs: Drs, jobs: readonly Job[], signal: AbortSignal): Promise<NamedJob[]> {
  const ids = [...new Set(jobs.map(({ datasetId }) => datasetId))];
  const names = new Map(
    await mapConcurrent(ids, namesAtOnce, async (id) => [id, await documentName(drs, id, signal)] as const),
  );
  return jobs.map((job) => {
    const fileName = names.get(job.datasetId);
    return { ...job, fileName: fileName === job.datasetId ? undefined : fileName };
  });
}

/** Returns the names of all documents of the workspace, by dataset id. */
export async function namesOfAll(drs: Drs, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for await (const { id, fileName } of drs.datasets.list({ limit: maxNamesRead }, { signal })) names.set(id, fileName);
  return names;
}
