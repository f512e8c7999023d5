import { isFinished, type Job } from "@drs/client";
import { useMutation, type UseMutationResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useDrs } from "../shell/drs.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";

/** The service's maximum page size. */
const shownJobs = 100;
const workingPollMs = 1_000;
const idlePollMs = 10_000;

/** The newest jobs of recently processed documents. */
interface RecentJobs {
  /** The newest known job of each dataset, by dataset id. */
  readonly byDataset: ReadonlyMap<string, Job>;
  /** The number of unfinished jobs, including those not in `byDataset`. */
  readonly unfinished: number;
}

const none: RecentJobs = { byDataset: new Map(), unfinished: 0 };

/**
 * Polls the recent jobs every second while there is work. Streams would use up the six connections that a browser has to a server.
 * Documents that the jobs change are read again.
 */
export function useRecentJobs(): RecentJobs {
  const drs = useDrs();
  const queries = useQueryClient();
  const { data = none } = useQuery({
    queryKey: ["jobs", "recent"],
    queryFn: async ({ signal }): Promise<RecentJobs> => {
      const limit = shownJobs;
      const [running, waiting, finished] = await Promise.all([
        drs.jobs.page({ statuses: ["IN_PROGRESS"], limit }, { signal }),
        drs.jobs.page({ statuses: ["NOT_STARTED", "IN_QUEUE"], limit }, { signal }),
        drs.jobs.page({ statuses: ["SUCCESS", "ERROR"], limit }, { signal }),
      ]);
      const oldestFirst = [...finished.data, ...waiting.data, ...running.data].toSorted(byCreation);
      return {
        byDataset: new Map(oldestFirst.map((job) => [job.datasetId, job])),
        unfinished: running.total + waiting.total,
      };
    },
    refetchInterval: ({ state }) => ((state.data?.unfinished ?? 0) > 0 ? workingPollMs : idlePollMs),
  });
  const settled = [...data.byDataset.values()].map(
    ({ id, status, progress }) => `${id} ${status} ${progress.pagesTotal}`,
  );
  const changes = settled.join();
  useEffect(() => {
    if (changes !== "") void queries.invalidateQueries({ queryKey: ["datasets"] });
  }, [queries, changes]);
  return data;
}

/** The newest recent job of a document, or else the given job, which is then requested separately. */
export function useJobOf(id: string, datasetId: string): Job | undefined {
  const drs = useDrs();
  const recent = useRecentJobs().byDataset.get(datasetId);
  const { data } = useQuery({
    queryKey: ["jobs", "one", id],
    queryFn: async ({ signal }) => drs.jobs.get(id, { signal }),
    refetchInterval: ({ state }) => (isWorking(state.data) ? workingPollMs : false),
    enabled: recent === undefined,
  });
  return recent ?? data;
}

const byCreation = (one: Job, other: Job): number => one.createdAt - other.createdAt;

/** Whether the job, or any of its pages, has failed. */
export const hasFailed = ({ status, failures }: Job): boolean => status === "ERROR" || failures.length > 0;

export const isWorking = (job: Job | undefined): boolean => job !== undefined && !isFinished(job);

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
    // The document is read again even if the job can no longer be followed, because it shows the outcome.
    service.wait(working, { signal: stop.signal, onUpdate: show }).then(readAgain, readAgain);
    return () => stop.abort();
  }, [service, queries, datasetId, working]);
  return jobs;
}

interface JobActions {
  /** Takes the id of a finished job. */
  readonly retry: UseMutationResult<Job, Error, string>;
  /** Takes the id of an unfinished job. */
  readonly stop: UseMutationResult<Job, Error, string>;
}

export function useJobActions(): JobActions {
  const { jobs } = useTexts();
  const drs = useDrs();
  const queries = useQueryClient();
  const done = async (text: string): Promise<void> => {
    showToast(text);
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["jobs"] }),
      queries.invalidateQueries({ queryKey: ["datasets"] }),
    ]);
  };
  const retry = useMutation({
    mutationFn: async (id: string) => drs.jobs.retry(id),
    onSuccess: () => done(jobs.retried),
  });
  const stop = useMutation({
    mutationFn: async (id: string) => drs.jobs.cancel(id),
    onSuccess: () => done(jobs.stopped),
  });
  return { retry, stop };
}
