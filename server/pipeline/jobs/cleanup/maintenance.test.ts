import pino from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Maintenance, startMaintenance } from "./maintenance.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const log = pino({ level: "silent" });

/** A store that notes when it is maintained, in seconds, and fails the first rounds. */
function startOn(failing = 0): { maintenance: Maintenance; rounds: number[] } {
  const rounds: number[] = [];
  const begin = performance.now();
  const maintain = async (): Promise<void> => {
    rounds.push(Math.round((performance.now() - begin) / 1_000));
    if (rounds.length <= failing) throw new Error("the disk is full");
  };
  return { maintenance: startMaintenance(maintain, { name: "store", log }), rounds };
}

describe("maintenance", () => {
  test("of requests that come together is one round, and one more for what that has replaced", async () => {
    const { maintenance, rounds } = startOn();
    for (let times = 0; times < 3; times++) {
      maintenance.request();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    await vi.advanceTimersByTimeAsync(600_000);
    expect(rounds).toEqual([5, 11]);
  });

  test("is done for a request once the second round is over", async () => {
    const { maintenance, rounds } = startOn();
    const done: string[] = [];
    maintenance.request(() => done.push("first"));
    await vi.advanceTimersByTimeAsync(4_000);
    expect([rounds, done]).toEqual([[3], []]);
    // It comes between the two rounds of the other request.
    maintenance.request(() => done.push("second"));
    await vi.advanceTimersByTimeAsync(4_000);
    expect([rounds, done]).toEqual([[3, 7], []]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect([rounds, done]).toEqual([
      [3, 7, 13],
      ["first", "second"],
    ]);
  });

  test("is not postponed forever by requests that never pause", async () => {
    const { maintenance, rounds } = startOn();
    for (let second = 0; second < 130; second++) {
      maintenance.request();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(rounds[0]).toBe(60);
    expect(rounds.length).toBeGreaterThanOrEqual(2);
  });

  test("that fails is tried again, and only then done", async () => {
    const { maintenance, rounds } = startOn(1);
    const done = vi.fn<() => void>();
    maintenance.request(done);
    await vi.advanceTimersByTimeAsync(62_000);
    expect(rounds).toEqual([3]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(rounds).toEqual([3, 63, 69]);
    expect(done).toHaveBeenCalledOnce();
  });

  test("does not run any more once it is stopped", async () => {
    const { maintenance, rounds } = startOn();
    maintenance.request();
    await maintenance.stop();
    maintenance.request();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(rounds).toEqual([]);
  });
});
