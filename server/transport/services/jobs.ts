import type { ServiceImpl } from "@connectrpc/connect";
import type { JobService } from "@drs/client/gen/drs/v1/jobs_pb";
import type { Domain } from "../../domain/domain.ts";
import { cancelJob, retryJob } from "../../domain/jobs/control.ts";
import { getJob, listJobs, watchJob } from "../../domain/jobs/read.ts";
import { callerOf } from "./caller.ts";
import { jobStatuses, wordsOf } from "./enums.ts";
import { jobMessage } from "./messages.ts";

export function jobService(domain: Domain): ServiceImpl<typeof JobService> {
  return {
    async listJobs({ statuses, offset, limit }, context) {
      const input = { statuses: wordsOf(jobStatuses, statuses), offset, limit };
      const list = await listJobs(domain, { caller: callerOf(context), input });
      const sort = [...list.sort];
      return {
        statuses,
        sort,
        orderBy: sort,
        total: list.total,
        offset,
        limit: list.limit,
        data: list.data.map(jobMessage),
      };
    },
    async getJob({ id }, context) {
      return { job: jobMessage(await getJob(domain, { caller: callerOf(context), input: { id } })) };
    },
    async cancelJob({ id }, context) {
      return { job: jobMessage(await cancelJob(domain, { caller: callerOf(context), input: { id } })) };
    },
    async retryJob({ id }, context) {
      return { job: jobMessage(await retryJob(domain, { caller: callerOf(context), input: { id } })) };
    },
    async *watchJob({ id, afterRevision }, context) {
      const watch = { caller: callerOf(context), input: { id, afterRevision }, signal: context.signal };
      try {
        for await (const job of watchJob(domain, watch)) {
          yield { job: jobMessage(job), revision: String(job.revision) };
        }
      } catch (cause) {
        // Report the shutdown or the client's departure, not the sleep that it interrupted.
        throw context.signal.aborted ? context.signal.reason : cause;
      }
    },
  };
}
