import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Caller } from "../../server/domain/caller.ts";
import { type KeyId, newJobId, newKeyId } from "../../server/domain/ids.ts";
import type { Job } from "../../server/domain/jobs/job.ts";
import { createJobFeed } from "../../server/domain/jobs/feed.ts";
import type { JobView } from "../../server/domain/jobs/view.ts";
import { watchJob } from "../../server/domain/jobs/read.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { createCredentialMonitor } from "../../server/domain/credential-monitor.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import {
  claimNext,
  createDataset,
  createTenant,
  join,
  makeEvent,
  morning,
  type Tenant,
} from "../stores/testing/records.ts";

/** Longer than any test: nothing is looked at but what followers ask for by themselves. */
const never = 3_600_000;
const many = 2_048;

let dataDir: string;
let store: Metadata;
/** Calls of the store, by method. */
let reads: Record<string, number>;
let counted: Metadata;
let stop: AbortController;
let watches: AsyncGenerator<JobView>[];
beforeEach(async () => {
  dataDir = await mkdtemp(joinPath(tmpdir(), "drs-watching-"));
  store = await openMetadata({ url: undefined, dataDir });
  reads = {};
  counted = {
    ...store,
    jobs: counting("jobs", store.jobs),
    pages: counting("pages", store.pages),
    keys: counting("keys", store.keys),
    members: counting("members", store.members),
  };
  stop = new AbortController();
  watches = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.allSettled(watches.map((states) => states.return(undefined)));
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** The real store, whose calls are counted. */
function counting<Store extends object>(name: string, target: Store): Store {
  return new Proxy(target, {
    get(_, method) {
      const value: unknown = Reflect.get(target, method);
      if (typeof value !== "function") return value;
      return (...parameters: unknown[]) => {
        const key = `${name}.${String(method)}`;
        reads[key] = (reads[key] ?? 0) + 1;
        return Reflect.apply(value, target, parameters);
      };
    },
  });
}

function callerOf({ organisationId, workspaceId }: Tenant, keyId: KeyId = newKeyId()): Caller {
  const actor = { kind: "key", keyId, requestsPerMinute: null } as const;
  return { organisationId, workspaceId, actor, scopes: new Set(["read"]), isOperator: false };
}

interface Intervals {
  readonly pollMs?: number;
  readonly checkMs?: number;
}

function watcher({ pollMs = never, checkMs = never }: Intervals = {}) {
  const domain = {
    metadata: store,
    clock: () => morning,
    jobFeed: createJobFeed(counted, { pollMs }),
    standing: createCredentialMonitor(counted, () => morning, { checkMs }),
  };
  return (caller: Caller, id: string, afterRevision = ""): AsyncGenerator<JobView> => {
    const states = watchJob(domain, { caller, input: { id, afterRevision }, signal: stop.signal });
    watches.push(states);
    return states;
  };
}

const progress = (pagesDone: number) => ({ stage: "read", pagesDone, pagesTotal: 9 }) as const;

/** Ends the watch, whose wait an abort would break off. */
const ended = (states: AsyncGenerator<JobView>): Promise<unknown> => states.next().catch((cause: unknown) => cause);

describe("reads", () => {
  test(`${many} watchers of one job cost one reader`, async () => {
    const tenant = await createTenant(store);
    const { job } = await createDataset(store, tenant.workspaceId);
    const watch = watcher();
    const caller = callerOf(tenant);
    const first = await Promise.all(Array.from({ length: many }, () => watch(caller, job.id).next()));
    expect(new Set(first.map(({ value }) => value?.revision))).toEqual(new Set([0]));
    expect(reads).toEqual({ "jobs.revisions": 1, "jobs.get": 1, "pages.failures": 1 });
  });

  test("a job is read when its revision has changed, once for all, and the others are not", async () => {
    const tenant = await createTenant(store);
    const jobs: Job[] = [];
    for (let nth = 0; nth < 10; nth++) jobs.push((await createDataset(store, tenant.workspaceId)).job);
    const watch = watcher({ pollMs: 1 });
    const caller = callerOf(tenant);
    const all = jobs.flatMap(({ id }) => Array.from({ length: 100 }, () => watch(caller, id)));
    await Promise.all(all.map((states) => states.next()));
    expect(reads["jobs.get"]).toBe(10);
    const looksBefore = reads["jobs.revisions"] ?? 0;

    const { job, lease } = await claimNext(store);
    const changed = all.filter((_, index) => jobs[Math.floor(index / 100)]?.id === job.id);
    const seen = await Promise.all(changed.map((states) => states.next()));
    expect(seen).toHaveLength(100);
    expect(new Set(seen.map(({ value }) => value?.status))).toEqual(new Set(["IN_PROGRESS"]));
    expect(reads["jobs.get"]).toBe(11);
    // The polls go on, one for all jobs, and read nothing more.
    await expect.poll(() => reads["jobs.revisions"]).toBeGreaterThan(looksBefore + 20);
    expect(reads).toMatchObject({ "jobs.get": 11 });

    await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, morning);
    const last = await Promise.all(changed.map((states) => states.next()));
    expect(new Set(last.map(({ value }) => value?.status))).toEqual(new Set(["SUCCESS"]));
    expect(await Promise.all(changed.map((states) => states.next()))).toEqual(
      changed.map(() => ({ done: true, value: undefined })),
    );
    expect(reads["jobs.get"]).toBe(12);
  });

  test("are over when the last watcher has gone", async () => {
    const tenant = await createTenant(store);
    const { job } = await createDataset(store, tenant.workspaceId);
    const watch = watcher({ pollMs: 1, checkMs: 1 });
    const caller = callerOf(tenant, await createKey(tenant));
    const all = Array.from({ length: 3 }, () => watch(caller, job.id));
    await Promise.all(all.map((states) => states.next()));
    const waiting = all.map(ended);
    stop.abort(new Error("gone"));
    for (const cause of await Promise.all(waiting)) expect(cause).toMatchObject({ message: "gone" });
    const total = (): number => Object.values(reads).reduce((sum, count) => sum + count, 0);
    const grown = async (): Promise<number> => {
      const before = total();
      await sleep(100);
      return total() - before;
    };
    await expect.poll(grown).toBe(0);
  });
});

describe("states", () => {
  test("a slow watcher delays no other, and is shown the latest state", async () => {
    const tenant = await createTenant(store);
    const { job } = await createDataset(store, tenant.workspaceId);
    const watch = watcher({ pollMs: 1 });
    const [slow, quick] = [watch(callerOf(tenant), job.id), watch(callerOf(tenant), job.id)];
    await Promise.all([slow.next(), quick.next()]);
    const { lease } = await claimNext(store);
    expect((await quick.next()).value).toMatchObject({ status: "IN_PROGRESS" });
    for (let page = 1; page < 4; page++) {
      await store.jobs.setProgress(lease, progress(page), morning);
      expect((await quick.next()).value).toMatchObject({ progress: { pagesDone: page } });
    }
    await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, morning);
    expect((await quick.next()).value).toMatchObject({ status: "SUCCESS" });
    expect((await slow.next()).value).toMatchObject({ status: "SUCCESS" });
    expect((await slow.next()).done).toBe(true);
  });

  test("go on after the revision that the caller has seen, and begin with what is there now", async () => {
    const tenant = await createTenant(store);
    const { job } = await createDataset(store, tenant.workspaceId);
    const watch = watcher({ pollMs: 1 });
    const resumed = watch(callerOf(tenant), job.id, "0").next();
    const { lease } = await claimNext(store);
    const { revision } = (await resumed).value ?? {};
    expect(revision).toBeGreaterThan(0);
    // Others follow the job already: a new follower is shown the present state, not the one that they saw last.
    await store.jobs.setProgress(lease, progress(5), morning);
    expect((await watch(callerOf(tenant), job.id, String(revision)).next()).value).toMatchObject({
      progress: { pagesDone: 5 },
    });
    await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, morning);
    const [final] = await Array.fromAsync(watch(callerOf(tenant), job.id));
    expect(await Array.fromAsync(watch(callerOf(tenant), job.id, String(final?.revision)))).toEqual([final]);
  });

  test("of another workspace's job are not shown, also while its own workspace watches it", async () => {
    const tenant = await createTenant(store);
    const stranger = await createTenant(store);
    const { job } = await createDataset(store, tenant.workspaceId);
    const watch = watcher();
    const own = watch(callerOf(tenant), job.id);
    const [first, foreign, unknown, none] = await Promise.allSettled([
      own.next(),
      watch(callerOf(stranger), job.id).next(),
      watch(callerOf(stranger), newJobId()).next(),
      watch(callerOf(stranger), "no id").next(),
    ]);
    expect(first).toMatchObject({ status: "fulfilled", value: { value: { id: job.id } } });
    for (const refused of [foreign, unknown, none]) {
      expect(refused).toMatchObject({ status: "rejected", reason: { kind: "not_found" } });
    }
  });

  test("a store that fails for a moment ends no watch; one that goes on failing does", async () => {
    const tenant = await createTenant(store);
    const { job } = await createDataset(store, tenant.workspaceId);
    let failures = 0;
    const { revisions } = counted.jobs;
    counted = {
      ...counted,
      jobs: {
        ...store.jobs,
        revisions: (ids) => (failures-- > 0 ? Promise.reject(new Error("busy")) : revisions(ids)),
      },
    };
    const states = watcher({ pollMs: 1 })(callerOf(tenant), job.id);
    await states.next();
    failures = 20;
    await claimNext(store);
    expect((await states.next()).value).toMatchObject({ status: "IN_PROGRESS" });
    failures = Number.POSITIVE_INFINITY;
    await expect(states.next()).rejects.toThrow("busy");
  });
});

describe("credentials", () => {
  test("a key that is revoked ends its watches and no others; a key is read once for all of them", async () => {
    const tenant = await createTenant(store);
    const { job } = await createDataset(store, tenant.workspaceId);
    const [lost, kept] = [await createKey(tenant), await createKey(tenant)];
    const watch = watcher({ checkMs: 1 });
    const losing = Array.from({ length: 100 }, () => watch(callerOf(tenant, lost), job.id));
    const other = watch(callerOf(tenant, kept), job.id);
    await Promise.all([...losing, other].map((states) => states.next()));
    await expect.poll(() => reads["keys.get"]).toBeGreaterThan(10);
    const waiting = losing.map(ended);
    let isOver = false;
    void ended(other).then(() => (isOver = true));
    await store.keys.revoke(tenant.organisationId, lost, morning, makeEvent());
    for (const cause of await Promise.all(waiting)) {
      expect(cause).toMatchObject({ kind: "unauthenticated", message: expect.stringMatching(/revoked/) });
    }
    const after = reads["keys.get"] ?? 0;
    await expect.poll(() => reads["keys.get"]).toBeGreaterThan(after + 10);
    expect(isOver).toBe(false);
  });

  test("a member who is gone watches nothing more", async () => {
    const tenant = await createTenant(store);
    const { job } = await createDataset(store, tenant.workspaceId);
    const { member, token } = await join(store, tenant.organisationId, "viewer");
    const actor = { kind: "member", memberId: member.id, tokenId: token.id, role: member.role } as const;
    const states = watcher({ checkMs: 1 })({ ...callerOf(tenant), actor }, job.id);
    await states.next();
    const waiting = ended(states);
    await expect.poll(() => reads["members.findToken"]).toBeGreaterThan(10);
    expect(await store.members.remove(member, makeEvent())).toBe("done");
    expect(await waiting).toMatchObject({ kind: "unauthenticated", message: expect.stringMatching(/no longer/) });
  });
});

async function createKey({ organisationId, workspaceId }: Tenant): Promise<KeyId> {
  const id = newKeyId();
  const key = {
    id,
    organisationId,
    workspaceId,
    name: "watching",
    secretSha256: "ab".repeat(32),
    scopes: ["read"],
    createdAt: morning,
    lastUsedAt: null,
    revokedAt: null,
    expiresAt: null,
    filter: null,
    requestsPerMinute: null,
    replacedBy: null,
  } as const;
  await store.keys.create(key, makeEvent());
  return id;
}
