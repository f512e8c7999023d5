import { afterEach, describe, expect, test, vi } from "vitest";
import { DrsError } from "../errors.ts";
import { createRetrier, defaultRetrySettings, mayPass, mayRepeat, neverConnected, pause } from "./retry.ts";

afterEach(() => {
  vi.useRealTimers();
});

const away = new DrsError({ code: "unavailable", message: "cannot reach", status: undefined });
const withStatus = (status: number, retryAfterMs?: number): DrsError =>
  new DrsError({ code: "unknown", message: String(status), status, retryAfterMs });

/** Fails that many times, then succeeds; remembers how often it was called. */
function failing(times: number, error: unknown = away): { work: () => Promise<string>; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    async work() {
      calls += 1;
      if (calls <= times) throw error;
      return "done";
    },
  };
}

describe("a retrier", () => {
  test("doubles the longest pause up to a bound, and takes a random part of it", async () => {
    vi.useFakeTimers();
    const { work, calls } = failing(9);
    const running = createRetrier({ ...defaultRetrySettings, random: () => 0.5 }).run(work);
    for (const pauseMs of [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]) {
      const before = calls();
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      expect(calls()).toBe(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(calls()).toBe(before + 1);
    }
    expect(await running).toBe("done");
  });

  test("tells once that the service is away, and that it is back; a busy one is there", async () => {
    const said: boolean[] = [];
    const settings = {
      ...defaultRetrySettings,
      firstPauseMs: 1,
      maxPauseMs: 1,
      onAway: (is: boolean) => said.push(is),
    };
    const retrier = createRetrier(settings);
    await retrier.run(failing(2, withStatus(429)).work);
    expect(said).toEqual([]);
    await Promise.all([retrier.run(failing(3, withStatus(503)).work), retrier.run(failing(2, withStatus(503)).work)]);
    expect(said.slice(0, 2)).toEqual([true, false]);
    expect(said.at(-1)).toBe(false);
  });

  test("gives what cannot pass to the caller at once", async () => {
    for (const error of [withStatus(404), withStatus(413), new TypeError("a bug")]) {
      const { work, calls } = failing(1, error);
      await expect(createRetrier(defaultRetrySettings).run(work)).rejects.toBe(error);
      expect(calls()).toBe(1);
    }
  });

  test("waits as long as the service asks, if patience allows it", async () => {
    const settings = { ...defaultRetrySettings, retryTimeoutMs: 1_000, random: () => 0 };
    const short = failing(1, withStatus(429, 30));
    vi.useFakeTimers();
    const running = createRetrier(settings).run(short.work);
    await vi.advanceTimersByTimeAsync(29);
    expect(short.calls()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await running).toBe("done");
    const long = failing(1, withStatus(429, 2_000));
    await expect(createRetrier(settings).run(long.work)).rejects.toMatchObject({ status: 429 });
    expect(long.calls()).toBe(1);
  });

  test("gives four tries to what takes longer than all patience", async () => {
    vi.useFakeTimers();
    const { work, calls } = failing(9);
    const slow = async (): Promise<string> => {
      await pause(1_000_000);
      return work();
    };
    const running = createRetrier(defaultRetrySettings).run(slow);
    await Promise.all([expect(running).rejects.toBe(away), vi.advanceTimersByTimeAsync(10_000_000)]);
    expect(calls()).toBe(4);
  });

  test("a success of one request is a sign of life for the others", async () => {
    vi.useFakeTimers();
    const retrier = createRetrier({ ...defaultRetrySettings, random: () => 1 });
    const { work, calls } = failing(99);
    const running = retrier.run(work);
    for (let minute = 0; minute < 20; minute += 1) {
      await vi.advanceTimersByTimeAsync(60_000);
      await retrier.run(async () => "alive");
    }
    expect(calls()).toBeGreaterThan(40);
    // A new failure restarts its five minutes.
    const before = calls();
    await Promise.all([expect(running).rejects.toBe(away), vi.advanceTimersByTimeAsync(600_000)]);
    expect(calls() - before).toBeLessThanOrEqual(11);
  });

  test("an abort ends the pause", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const settings = { ...defaultRetrySettings, firstPauseMs: 30_000, random: () => 1 };
    const waiting = createRetrier(settings, stop.signal).run(failing(9).work);
    setTimeout(() => stop.abort(reason), 5);
    await expect(waiting).rejects.toBe(reason);
  });
});

test.each([
  [408, true, true],
  [429, true, true],
  [500, true, false],
  [502, true, true],
  [503, true, true],
  [504, true, true],
  [400, false, false],
  [401, false, false],
  [404, false, false],
  [409, false, false],
  [413, false, false],
  [415, false, false],
])("%i may pass: %s, may be repeated with a key: %s", (status, passes, repeats) => {
  expect(mayPass(withStatus(status))).toBe(passes);
  expect(mayRepeat(withStatus(status))).toBe(repeats);
});

test("a conflict that says when to come back may be repeated with a key", () => {
  expect(mayRepeat(withStatus(409, 1_000))).toBe(true);
});

test("whether the service was reached shows in the system call that failed", () => {
  const failure = (cause: unknown): DrsError => new DrsError({ code: "unavailable", message: "cannot reach", cause });
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { syscall: "connect" });
  const unknownName = Object.assign(new Error("getaddrinfo ENOTFOUND"), { syscall: "getaddrinfo" });
  const reset = Object.assign(new Error("read ECONNRESET"), { syscall: "read" });
  expect(neverConnected(failure(refused))).toBe(true);
  expect(neverConnected(failure(new TypeError("fetch failed", { cause: unknownName })))).toBe(true);
  expect(neverConnected(failure(new AggregateError([refused, refused])))).toBe(true);
  expect(neverConnected(failure(new AggregateError([refused, reset])))).toBe(false);
  expect(neverConnected(failure(reset))).toBe(false);
  expect(neverConnected(failure(new TypeError("Failed to fetch")))).toBe(false);
  expect(mayPass(failure(reset))).toBe(true);
  expect(mayPass(new DrsError({ code: "aborted", message: "the file changed" }))).toBe(false);
});
