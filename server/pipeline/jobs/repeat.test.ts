import { expect, test } from "vitest";
import { invalid, unavailable } from "../../domain/errors.ts";
import { repeat } from "./document/fetch.ts";

const { signal } = new AbortController();

/** Fails as listed, then succeeds and returns the number of tries. */
function failing(...failures: Error[]) {
  let tries = 0;
  const attempt = (): Promise<string> => {
    const failure = failures[tries];
    tries += 1;
    return failure === undefined ? Promise.resolve("done") : Promise.reject(failure);
  };
  return { attempt, tries: () => tries };
}

test("a temporary failure is retried from the start", async () => {
  const { attempt, tries } = failing(unavailable("busy"), unavailable("busy"));
  expect(await repeat(attempt, { waitsMs: [1, 1], signal })).toBe("done");
  expect(tries()).toBe(3);
});

test("the last failure tells the number of tries", async () => {
  const { attempt, tries } = failing(unavailable("busy"), unavailable("away"), unavailable("never"));
  await expect(repeat(attempt, { waitsMs: [1], signal })).rejects.toMatchObject({
    kind: "unavailable",
    message: "away (tried 2 times)",
  });
  expect(tries()).toBe(2);
});

test.each([invalid("not there"), new Error("a bug")])("%s is final", async (failure) => {
  const { attempt, tries } = failing(failure);
  await expect(repeat(attempt, { waitsMs: [1, 1], signal })).rejects.toBe(failure);
  expect(tries()).toBe(1);
});

test("the signal ends the wait with its reason, and nothing is tried after it", async () => {
  const ending = new AbortController();
  const { attempt, tries } = failing(unavailable("busy"));
  const trying = repeat(attempt, { waitsMs: [600_000], signal: ending.signal });
  setTimeout(() => ending.abort(new Error("stopped")), 10);
  await expect(trying).rejects.toThrow("stopped");
  expect(tries()).toBe(1);
});
