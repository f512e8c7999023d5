import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import { JobStatus, JobType } from "../gen/drs/v1/enums_pb.ts";
import { JobService } from "../gen/drs/v1/jobs_pb.ts";
import { createDrs, type Drs, type Job } from "../index.ts";
import { listen, type Listening } from "../testing/service.ts";

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()));
});

async function drsWith(service: Partial<ServiceImpl<typeof JobService>>): Promise<Drs> {
  const listening = await listen((router) => router.service(JobService, service));
  open.push(listening);
  return createDrs({ server: listening.url });
}

function state(pagesDone: number, status: JobStatus = JobStatus.IN_PROGRESS) {
  const job = { id: "dsj_1", type: JobType.EXTRACT, status, progress: { stage: "read", pagesDone, pagesTotal: 9 } };
  return { job, revision: String(pagesDone + 1) };
}

async function pagesSeen(jobs: AsyncIterable<Job>): Promise<number[]> {
  const seen: number[] = [];
  for await (const job of jobs) seen.push(job.progress.pagesDone);
  return seen;
}

test("yields every change once, heartbeats never, and ends with the finished job", async () => {
  const drs = await drsWith({
    async *watchJob() {
      yield state(0);
      yield state(0);
      yield state(4);
      yield state(9, JobStatus.SUCCESS);
    },
  });
  expect(await pagesSeen(drs.jobs.watch("dsj_1"))).toEqual([0, 4, 9]);
});

test("goes on after a broken stream with the first state it has not seen", async () => {
  const resumed: string[] = [];
  const drs = await drsWith({
    async *watchJob({ afterRevision }) {
      resumed.push(afterRevision);
      if (resumed.length === 1) {
        yield state(0);
        yield state(4);
        throw new ConnectError("draining", Code.Unavailable);
      }
      if (resumed.length === 2) return;
      yield state(9, JobStatus.SUCCESS);
    },
  });
  expect(await pagesSeen(drs.jobs.watch("dsj_1", { pollMs: 1 }))).toEqual([0, 4, 9]);
  expect(resumed).toEqual(["", "5", "5"]);
});

test("polls where streams stay mute", async () => {
  let asked = 0;
  const drs = await drsWith({
    async *watchJob(_, { signal }) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield state(1);
    },
    getJob() {
      asked += 1;
      return asked < 3 ? state(2) : state(9, JobStatus.ERROR);
    },
  });
  expect(await pagesSeen(drs.jobs.watch("dsj_1", { pollMs: 1, silenceMs: 20 }))).toEqual([2, 9]);
  expect(asked).toBe(3);
});

test("polls a service that cannot stream, and waits for one that is away", async () => {
  let asked = 0;
  const drs = await drsWith({
    getJob() {
      asked += 1;
      if (asked === 2) throw new ConnectError("starting", Code.Unavailable);
      return asked < 4 ? state(1) : state(9, JobStatus.SUCCESS);
    },
  });
  const updates: number[] = [];
  const said: boolean[] = [];
  const job = await drs.jobs.wait("dsj_1", {
    pollMs: 1,
    onUpdate: ({ progress }) => updates.push(progress.pagesDone),
    onAway: (away) => said.push(away),
  });
  expect(said).toEqual([true, false]);
  expect(job.status).toBe("SUCCESS");
  expect(updates).toEqual([1, 9]);
});

test("gives up on a service that stays away, with its failure", async () => {
  const drs = await drsWith({
    getJob() {
      throw new ConnectError("starting", Code.Unavailable);
    },
  });
  await expect(drs.jobs.wait("dsj_1", { pollMs: 1, retryTimeoutMs: 5 })).rejects.toThrow("starting");
});

test("does not try again what cannot be mended", async () => {
  let calls = 0;
  const drs = await drsWith({
    // oxlint-disable-next-line require-yield
    async *watchJob() {
      calls += 1;
      throw new ConnectError("no job dsj_1", Code.NotFound);
    },
  });
  await expect(drs.jobs.wait("dsj_1", { pollMs: 1 })).rejects.toMatchObject({ code: "not_found" });
  expect(calls).toBe(1);
});

test("an aborted watch rejects with the reason and closes the stream", async () => {
  let closed: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const drs = await drsWith({
    async *watchJob(_, { signal }) {
      signal.addEventListener("abort", () => closed?.());
      yield state(0);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  });
  const stop = new AbortController();
  const reason = new Error("enough");
  const watch = async (): Promise<void> => {
    for await (const _ of drs.jobs.watch("dsj_1", { signal: stop.signal })) stop.abort(reason);
  };
  await expect(watch()).rejects.toBe(reason);
  await ended;
});

test("leaving the loop closes the stream", async () => {
  let closed: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const drs = await drsWith({
    async *watchJob(_, { signal }) {
      signal.addEventListener("abort", () => closed?.());
      yield state(0);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  });
  for await (const job of drs.jobs.watch("dsj_1")) {
    expect(job.status).toBe("IN_PROGRESS");
    break;
  }
  await ended;
});
