import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { JobService } from "../gen/drs/v1/jobs_pb.ts";
import { entriesOf, type ListQuery, type Page, type PageQuery } from "../pages.ts";
import { present, valueOf } from "../wire-names.ts";
import { type Job, jobOf, type JobStatus, jobStatuses } from "./job.ts";
import { watchJob, type WatchOptions } from "./watch.ts";

export interface JobFilter {
  /** Only jobs with one of these statuses; default: all. */
  readonly statuses?: readonly JobStatus[] | undefined;
}

export interface Jobs {
  /** Lists recent jobs, newest first: finished ones leave the list 24 hours after they ended. */
  list(query?: JobFilter & ListQuery, options?: RequestOptions): AsyncIterable<Job>;
  page(query?: JobFilter & PageQuery, options?: RequestOptions): Promise<Page<Job>>;
  /** Returns one job, even if it has left the list. */
  get(id: string, options?: RequestOptions): Promise<Job>;
  /** Ends an unfinished job and removes everything that it has made. */
  cancel(id: string, options?: RequestOptions): Promise<Job>;
  /**
   * Runs a finished job again, with the same dataset and id. A job that ended in ERROR continues from the work that it
   * had done; a job with failed pages repeats only those. Throws a `conflict` if nothing in the job has failed.
   */
  retry(id: string, options?: RequestOptions): Promise<Job>;
  /** Yields the job's states up to the final one. Continues after broken connections. */
  watch(id: string, options?: WatchOptions): AsyncIterable<Job>;
  /** Resolves with the finished job, whether it succeeded or not. */
  wait(id: string, options?: WatchOptions & { readonly onUpdate?: ((job: Job) => void) | undefined }): Promise<Job>;
}

export function createJobs(connection: Connection): Jobs {
  const client = createClient(JobService, connection.transport);
  const jobs: Jobs = {
    list: (query = {}, options) => entriesOf(query, (part) => jobs.page({ ...query, ...part }, options)),
    async page({ statuses = [], offset = 0, limit } = {}, options) {
      const request = { statuses: statuses.map((status) => valueOf(jobStatuses, status)), offset, limit };
      const answer = await connection.call((call) => client.listJobs(request, call), options);
      return { total: answer.total, offset: answer.offset, limit: answer.limit, data: answer.data.map(jobOf) };
    },
    async get(id, options) {
      const answer = await connection.call((call) => client.getJob({ id }, call), options);
      return jobOf(present(answer.job, "job"));
    },
    async cancel(id, options) {
      const answer = await connection.call((call) => client.cancelJob({ id }, call), options);
      return jobOf(present(answer.job, "job"));
    },
    async retry(id, options) {
      const answer = await connection.call((call) => client.retryJob({ id }, call), options);
      return jobOf(present(answer.job, "job"));
    },
    watch: (id, options) => watchJob(connection, client, id, options),
    async wait(id, { onUpdate, ...options } = {}) {
      let last: Job | undefined;
      for await (const job of watchJob(connection, client, id, options)) {
        last = job;
        onUpdate?.(job);
      }
      return present(last, "job");
    },
  };
  return jobs;
}
