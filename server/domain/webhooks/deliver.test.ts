import { describe, expect, test } from "vitest";
import { invalid } from "../errors.ts";
import { newWebhookId, newWorkspaceId } from "../ids.ts";
import { noMeter } from "../ports/meter.ts";
import type { PostAnswer } from "../ports/remote.ts";
import type { ClaimedDelivery, Destination } from "../ports/webhooks.ts";
import { deliver, maxFailingMs, pauseAfter } from "./deliver.ts";
import { createSealing } from "./sealing.ts";

const now = 1_790_000_000_000;
const sealing = createSealing([]);
const target = newWebhookId();

function claimed(fields: Partial<Destination> = {}, tries = 0): ClaimedDelivery {
  const secrets = { secret: sealing.create().sealed, previousSecret: null, previousUntil: null };
  const last = { lastTryAt: null, lastStatus: null, lastError: null, finishedAt: null };
  return {
    token: "token",
    destination: { url: "https://example.org/", secrets, failingSince: null, ...fields },
    delivery: {
      target,
      messageId: "m",
      workspaceId: newWorkspaceId(),
      type: "job.finished",
      payload: "{}",
      status: "pending",
      tries,
      createdAt: now,
      dueAt: now,
      ...last,
    },
  };
}

const answering = (answer: PostAnswer | Error, given: ClaimedDelivery = claimed(), with_ = sealing) =>
  deliver(
    {
      posts: {
        parse: (address) => new URL(address),
        post: async () => {
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      sealing: with_,
      clock: () => now,
      meter: noMeter,
      timeoutMs: 1_000,
    },
    given,
    new AbortController().signal,
  );

const status = (code: number, retryAfterMs?: number): PostAnswer => ({ status: code, retryAfterMs });

describe("a try", () => {
  test.each([200, 201, 204, 299])("answered with %d is a delivery", async (code) => {
    const outcome = await answering(status(code));
    expect(outcome).toEqual({
      status: "delivered",
      dueAt: null,
      lastStatus: code,
      lastError: null,
      endpoint: "accepted",
    });
  });

  test.each([100, 301, 304, 400, 404, 408, 429, 500, 503])("answered with %d is repeated", async (code) => {
    const outcome = await answering(status(code));
    expect(outcome).toMatchObject({ status: "pending", lastStatus: code, endpoint: "refused" });
    expect(outcome.dueAt).toBeGreaterThanOrEqual(now + 5_000);
    expect(outcome.dueAt).toBeLessThanOrEqual(now + 6_000);
  });

  test("waits as long as the receiver requests", async () => {
    expect(await answering(status(503, 60_000))).toMatchObject({ dueAt: now + 60_000 });
  });

  test("without an answer is repeated, with the reason", async () => {
    const outcome = await answering(invalid("hooks.example is not a public address"));
    expect(outcome).toMatchObject({ status: "pending", lastStatus: null, endpoint: "refused" });
    expect(outcome.lastError).toMatch(/not a public address/);
  });

  test("is the last after eight", async () => {
    expect(await answering(status(500), claimed({}, 6))).toMatchObject({ status: "pending" });
    expect(await answering(status(500), claimed({}, 7))).toMatchObject({ status: "failed", dueAt: null });
  });

  test("answered with 410 is the last, and disables the endpoint", async () => {
    const endpoint = { disabledReason: expect.stringMatching(/410/) };
    expect(await answering(status(410))).toMatchObject({ status: "failed", dueAt: null, endpoint });
  });

  test("disables an endpoint that has failed for five days, unless it is accepted", async () => {
    const failing = claimed({ failingSince: now - maxFailingMs });
    const endpoint = { disabledReason: expect.stringMatching(/nothing since 2026-/) };
    expect(await answering(status(500), failing)).toMatchObject({ endpoint });
    expect(await answering(status(204), failing)).toMatchObject({ endpoint: "accepted" });
    const younger = claimed({ failingSince: now - maxFailingMs + 1 });
    expect(await answering(status(500), younger)).toMatchObject({ endpoint: "refused" });
  });

  test("is not made if the endpoint is gone", async () => {
    const gone = { ...claimed(), destination: undefined };
    expect(await answering(status(204), gone)).toMatchObject({ status: "failed", endpoint: "not sent" });
  });

  test("waits for the key that sealed the secret, and says so", async () => {
    const { sealed: secret } = createSealing(["a key that the settings name no more"]).create();
    const locked = claimed({ secrets: { secret, previousSecret: null, previousUntil: null } });
    const outcome = await answering(status(204), locked);
    expect(outcome).toMatchObject({ status: "pending", endpoint: "not sent" });
    expect(outcome.lastError).toMatch(/DRS_WEBHOOK_KEYS/);
    expect(outcome.dueAt).toBeGreaterThan(now);
  });

  test("that the worker aborts has no outcome", async () => {
    await expect(answering(new Error("the worker is stopping"))).rejects.toThrow("stopping");
  });
});

test("eight tries, with pauses that grow", () => {
  const pauses = Array.from({ length: 9 }, (_, failed) => pauseAfter(failed + 1, undefined, 0));
  expect(pauses).toEqual(
    [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]
      .map((s) => s * 1_000)
      .concat(NaN, NaN)
      .map((ms) => (Number.isNaN(ms) ? undefined : ms)),
  );
});

test("a pause is up to a fifth longer, and as long as the receiver requests, up to ten hours", () => {
  expect(pauseAfter(1, undefined, 1)).toBe(6_000);
  expect(pauseAfter(1, 90_000, 0.5)).toBe(90_000);
  expect(pauseAfter(2, 90_000, 0)).toBe(300_000);
  expect(pauseAfter(1, 1e12, 0)).toBe(36_000_000);
});
