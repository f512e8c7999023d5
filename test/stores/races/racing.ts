import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import type { Plan } from "../../../server/domain/plans/plan.ts";
import { noLimits } from "../../../server/domain/plans/plan.ts";
import { type MetadataFixture, type OpenMetadataFixture, storeClock } from "../testing/metadata.ts";
import { makeEvent, makeFounding, morning, removeRows, type Tenant } from "../testing/records.ts";

/** The time of the cases. */
export const now = morning + 1000;

/** How often a case lets calls meet: each time they are apart by other milliseconds. */
export const rounds = 20;
/** The same of cases that need many calls for it. */
export const fewRounds = 8;

/** Calls race over so many connections, as those of several processes do. */
const connectionCount = 4;

/** Everything that there is, for lists. */
const all = 100_000;

export interface Racers {
  readonly store: Metadata;
  /** A connection for each of the calls that are to meet; they come again. */
  at(index: number): Metadata;
  /** A new organisation with one workspace, whose books are compared with its rows when the case is over. */
  tenant(limits?: Partial<Plan["limits"]>): Promise<Tenant & { readonly plan: string }>;
}

/** A database for a group of cases. After each the books must agree with the rows, which are then removed. */
export function useRacers(open: OpenMetadataFixture): Racers {
  let fixture: MetadataFixture | undefined;
  const connections: Metadata[] = [];
  const tenants: Tenant[] = [];
  let plans = 0;

  beforeAll(async () => {
    fixture = await open();
    while (connections.length < connectionCount) connections.push(await fixture.connect());
  });
  afterAll(async () => fixture?.dispose());

  const at = (index: number): Metadata => {
    const connection = connections[index % connectionCount];
    if (connection === undefined) throw new Error("the store is there only while cases run");
    return connection;
  };

  afterEach(async () => {
    for (const tenant of tenants.splice(0)) {
      await expectBooks(at(0), tenant);
      await removeAll(at(0), tenant);
      await expectBooks(at(0), tenant);
    }
    expect(await at(0).renditions.totalBytes()).toBe(await bytesOfRenditions(at(0)));
  });

  return {
    get store() {
      return at(0);
    },
    at,
    async tenant(limits) {
      storeClock.now = now;
      let plan = "unlimited";
      if (limits !== undefined) {
        plans += 1;
        plan = `plan-${plans}`;
        await at(0).plans.set({ name: plan, limits: { ...noLimits, ...limits } }, makeEvent());
      }
      const founding = makeFounding({ plan });
      await at(0).organisations.create(founding, []);
      const tenant = { organisationId: founding.organisation.id, workspaceId: founding.workspace.id, plan };
      tenants.push(tenant);
      return tenant;
    },
  };
}

/**
 * Starts the calls at the same time, or with milliseconds between them that differ from round to round, and waits for
 * their answers.
 */
export function race<const Calls extends readonly (() => Promise<unknown>)[]>(
  round: number,
  calls: Calls,
): Promise<{ -readonly [At in keyof Calls]: Awaited<ReturnType<Calls[At]>> }>;
export function race(round: number, calls: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  return Promise.all(
    calls.map(async (call, index) => {
      const laterMs = ((round >> 1) * (round % 2 === 0 ? index : calls.length - 1 - index)) % 5;
      if (laterMs > 0) await sleep(laterMs);
      return call();
    }),
  );
}

/** `count` calls, which get their numbers. */
export const times = <Result>(count: number, make: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** How often each answer came. */
export function tally(answers: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[String(answer)] = (counts[String(answer)] ?? 0) + 1;
  return counts;
}

/** Blobs that nothing refers to and that are not garbage either: nothing would ever remove them. */
export async function expectNoneLost(store: Metadata, keys: readonly string[]): Promise<void> {
  expect(await store.garbage.ownerless(keys)).toEqual([]);
}

/** Counts that triggers keep, beside what the rows say. */
async function expectBooks(store: Metadata, { organisationId, workspaceId }: Tenant): Promise<void> {
  expect(await store.usage.ofWorkspace(workspaceId)).toEqual(await store.usage.recount(workspaceId));
  const scope = { workspaceId, offset: 0, limit: all };
  const lists = [
    await store.datasets.list({ ...scope, types: [], sha256: [], sort: [], now }),
    await store.jobs.list({ ...scope, statuses: [], finishedSince: 0 }),
    await store.audit.list({ organisationId, action: "", offset: 0, limit: all }),
  ];
  for (const { total, data } of lists) expect(total).toBe(data.length);
  const { datasetsByPack } = await store.packs.progress(organisationId);
  const served = new Map<string, number>();
  for (const { id } of await datasetsOf(store, workspaceId)) {
    const index = await store.packs.ofDataset(id);
    if (index !== undefined) served.set(index.pack, (served.get(index.pack) ?? 0) + 1);
  }
  expect(datasetsByPack).toEqual(served);
}

const datasetsOf = async (store: Metadata, workspaceId: Tenant["workspaceId"]) =>
  (await store.datasets.all(undefined, all)).filter((dataset) => dataset.workspaceId === workspaceId);

async function removeAll(store: Metadata, { workspaceId }: Tenant): Promise<void> {
  for (const { id } of await datasetsOf(store, workspaceId)) {
    await store.datasets.delete(workspaceId, id, now, makeEvent());
  }
  await removeRows(store, now);
}

const bytesOfRenditions = async (store: Metadata): Promise<number> =>
  (await store.renditions.oldest(all)).reduce((sum, { size }) => sum + size, 0);
