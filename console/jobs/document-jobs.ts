import type { Job } from "@drs/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useDrs } from "../shell/drs.tsx";
import { isWorking } from "./recent-jobs.ts";

/** Maximum number of jobs searched: the service cannot filter jobs by document. */
const maxLookedAt = 1_000;

/** The jobs of a document that the workspace still lists, newest first. Unfinished jobs are followed. */
export function useDocumentJobs(datasetId: string): readonly Job[] {
  const { jobs: service } = useDrs();
  const queries = useQueryClient();
  const { data: jobs = [] } = useQuery({
    queryKey: ["jobs", "of", datasetId],
    queryFn: async ({ signal }) => {
      const found: Job[] = [];
      for await (const job of service.list({ limit: maxLookedAt }, { signal })) {
        if (job.datasetId === datasetId) found.push(job);
      }
      return found;
    },
  });
  const working = jobs.find(isWorking)?.id;
  useEffect(() => {
    if (working === undefined) return undefined;
    const stop = new AbortController();
    const show = (job: Job): void => {
      queries.setQueryData(["jobs", "of", datasetId], (known: readonly Job[] = []) =>
        known.map((other) => (other.id === job.id ? job : other)),
      );
    };
    const readAgain = (): void => {
      void queries.invalidateQueries({ queryKey: ["datasets"] });
      void queries.invalidateQueries({ queryKey: ["items", datasetId] });
    };
    // If the job cannot be followed any more, the document, read again, shows the outcome.
    service.wait(working, { signal: stop.signal, onUpdate: show }).then(readAgain, readAgain);
    return () => stop.abort();
  }, [service, queries, datasetId, working]);
  return jobs;
}
