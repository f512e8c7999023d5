import { DrsError } from "@drs/client";
import { expect, test } from "vitest";
import { createRetryPolicy, surelyRefused } from "./retry.ts";

const away = new DrsError({ code: "unavailable", message: "cannot reach http://x: connect ECONNREFUSED 127.0.0.1:1" });
const lostAnswer = new DrsError({ code: "unavailable", message: "cannot reach http://x: other side closed" });
const busy = new DrsError({ code: "resource_exhausted", status: 429, message: "slow down" });
const tooLarge = new DrsError({ code: "resource_exhausted", status: 413, message: "too large" });
const locked = new DrsError({ code: "unauthenticated", status: 401, message: "no" });

function failing(...causes: readonly unknown[]): { work: () => Promise<string>; calls: () => number } {
  const left = [...causes];
  let calls = 0;
  return {
    calls: () => calls,
    async work() {
      calls += 1;
      const [cause] = left.splice(0, 1);
      if (cause !== undefined) throw cause;
      return "done";
    },
  };
}

const { signal } = new AbortController();

test("tries again what may pass, and says when the service is away", async () => {
  const said: boolean[] = [];
  const policy = createRetryPolicy({ retryTimeoutMs: 60_000, signal, onAway: (is) => said.push(is) });
  const { work, calls } = failing(away, busy);
  expect(await policy.retry(work)).toBe("done");
  expect([calls(), said, policy.lost]).toEqual([3, [true, false], undefined]);
});

test("what cannot pass is not tried again", async () => {
  const policy = createRetryPolicy({ retryTimeoutMs: 60_000, signal });
  const { work, calls } = failing(tooLarge);
  await expect(policy.retry(work)).rejects.toBe(tooLarge);
  expect([calls(), policy.lost]).toEqual([1, undefined]);
});

test("what may have been accepted is tried again only by those who can tell", async () => {
  const policy = createRetryPolicy({ retryTimeoutMs: 60_000, signal });
  await expect(policy.retry(failing(lostAnswer).work, surelyRefused)).rejects.toBe(lostAnswer);
  expect(await policy.retry(failing(lostAnswer).work)).toBe("done");
  expect(await policy.retry(failing(away).work, surelyRefused)).toBe("done");
});

test("its end is the end of all", async () => {
  const policy = createRetryPolicy({ retryTimeoutMs: 0, signal });
  const { work } = failing(away, away, away);
  await expect(policy.retry(work)).rejects.toBe(away);
  expect(policy.lost).toBe(away);
  const refused = createRetryPolicy({ retryTimeoutMs: 60_000, signal });
  await expect(refused.retry(failing(locked).work)).rejects.toBe(locked);
  expect(refused.lost).toBe(locked);
});

test("an abort ends the wait with its reason", async () => {
  const stop = new AbortController();
  const policy = createRetryPolicy({
    retryTimeoutMs: 60_000,
    signal: stop.signal,
    onAway: () => stop.abort(new Error("enough")),
  });
  await expect(policy.retry(failing(away, away).work)).rejects.toThrow("enough");
});
