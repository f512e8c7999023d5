import { isFinished, type Job } from "@drs/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useDrs } from "../shell/drs.tsx";

/** As many as one answer has. */
const shownJobs = 100;
const workingPollMs = 1_000;
const idlePollMs = 10_000;

/** The last word about each document that something was done to lately. */
export interface RecentJobs {
  /** The newest known job of a dataset, by the id of the dataset. */
  readonly byDataset: ReadonlyMap<string, Job>;
  /** Jobs that are not finished, also those that are not among `byDataset`. */
  readonly unfinished: number;
}

const none: RecentJobs = { byDataset: new Map(), unfinished: 0 };

/**
 * Asked for every second while there is work, and not by streams, of which a browser has six to a server. Documents that change by
 * the work are read again.
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

/** The last word about the document that a job was made for. Jobs that are not among the recent ones are asked for one by one. */
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

/** Whether something of it has failed. */
export const hasFailed = ({ status, failures }: Job): boolean => status === "ERROR" || failures.length > 0;

export const isWorking = (job: Job | undefined): boolean => job !== undefined && !isFinished(job);
