import { describe, expect, test } from "vitest";
import type { Caller } from "../caller.ts";
import { newKeyId, newOrganisationId, newWorkspaceId, type OrganisationId } from "../ids.ts";
import { createSearchQueue, type SearchQueue } from "./fair-queue.ts";

function caller(organisationId: OrganisationId = newOrganisationId()): Caller {
  const actor = { kind: "key", keyId: newKeyId(), requestsPerMinute: null } as const;
  return { organisationId, workspaceId: newWorkspaceId(), actor, scopes: new Set(["search"]), isOperator: false };
}

/** Searches that run until they are told to end, in the order in which they start. */
function bench(turns: SearchQueue) {
  const order: string[] = [];
  const running: { name: string; end: () => void }[] = [];
  const { signal } = new AbortController();
  return {
    order,
    running,
    begin: (name: string, by: Caller, stop = signal): Promise<void> =>
      turns.take(by, stop, () => {
        const work = Promise.withResolvers<void>();
        order.push(name);
        running.push({ name, end: work.resolve });
        return work.promise;
      }),
    /** Ends one after the other until all have run. */
    async drain(): Promise<void> {
      for (let done = 0; done < 1000 && (running.length > 0 || turns.waiting > 0); done++) {
        running.shift()?.end();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test("organisations take turns, and within one its callers, first come first served among the searches of one", async () => {
  const turns = createSearchQueue({ maxAtWork: 1 });
  const { begin, drain, order } = bench(turns);
  const [large, small] = [newOrganisationId(), newOrganisationId()];
  const [a, b, c] = [caller(large), caller(large), caller(small)];
  const all = [begin("first", caller())];
  for (let nth = 1; nth <= 4; nth++) all.push(begin(`a${nth}`, a));
  all.push(begin("b1", b), begin("b2", b), begin("c1", c), begin("c2", c));
  await drain();
  await Promise.all(all);
  expect(order).toEqual(["first", "a1", "c1", "b1", "c2", "a2", "b2", "a3", "a4"]);
});

test("a limited number runs at a time, and a failing search frees its place like any other", async () => {
  const turns = createSearchQueue({ maxAtWork: 2 });
  const { begin, running } = bench(turns);
  const broken = turns.take(caller(), new AbortController().signal, () => Promise.reject(new Error("broken")));
  const one = caller();
  const all = [begin("1", one), begin("2", one), begin("3", one)];
  await expect(broken).rejects.toThrow("broken");
  await expect.poll(() => running.length).toBe(2);
  expect(turns.waiting).toBe(1);
  for (const { end } of running.splice(0)) end();
  await expect.poll(() => running.length).toBe(1);
  running[0]?.end();
  await Promise.all(all);
});

describe("waiting searches", () => {
  test("leave when they are aborted", async () => {
    const turns = createSearchQueue({ maxAtWork: 1 });
    const { begin, drain, order } = bench(turns);
    const stop = new AbortController();
    const first = begin("first", caller());
    const gone = begin("gone", caller(), stop.signal);
    const last = begin("last", caller());
    stop.abort(new Error("closed"));
    await expect(gone).rejects.toThrow("closed");
    await drain();
    await Promise.all([first, last]);
    expect(order).toEqual(["first", "last"]);
  });

  test("fail when it takes too long", async () => {
    const turns = createSearchQueue({ maxAtWork: 1, deadlineMs: 10 });
    const { begin, running } = bench(turns);
    const first = begin("first", caller());
    await expect(begin("late", caller())).rejects.toMatchObject({ kind: "unavailable", retryAfterSeconds: 2 });
    expect(turns.waiting).toBe(0);
    running[0]?.end();
    await first;
  });

  test("are limited in number; the organisation with the most loses its last one", async () => {
    const turns = createSearchQueue({ maxAtWork: 1, maxWaiting: 4 });
    const { begin, drain, order } = bench(turns);
    const large = newOrganisationId();
    const first = begin("first", caller());
    const flood = Array.from({ length: 5 }, (_, nth) => begin(`flood ${nth}`, caller(large)));
    const refused = { kind: "rate_limited", retryAfterSeconds: 2 };
    await expect(flood[4]).rejects.toMatchObject(refused);
    const others = [begin("one", caller()), begin("two", caller())];
    const settled = Promise.allSettled(flood);
    await drain();
    await Promise.all([first, ...others]);
    expect((await settled).map(({ status }) => status).toSorted()).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
      "rejected",
    ]);
    expect(order).toContain("one");
    expect(order).toContain("two");
    expect(turns.waiting).toBe(0);
  });
});
