import { describe, expect, test, vi } from "vitest";
import { DomainError } from "../errors.ts";
import { newWorkspaceId } from "../ids.ts";
import type { UsageStore } from "../ports/organisations.ts";
import { quotaOf, withinQuota } from "./storage-quota.ts";

const workspaceId = newWorkspaceId();

function storing(storedBytes: number, maxBytes: number | null): { usage: UsageStore } {
  const unused = (): never => expect.unreachable();
  const storage = async () => ({ plan: "team", maxBytes, storedBytes });
  const counted = { ofWorkspace: unused, recount: unused, requestsSince: unused, addRequests: unused };
  return { usage: { ...counted, noteDay: unused, history: unused, storage } };
}

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size);
}

describe("storage quota", () => {
  test.each([
    [300, 1000, 700],
    [1000, 1000, 0],
    [1200, 1000, -200],
    [5, null, Infinity],
  ])("of %d bytes stored and at most %s there are %d left", async (stored, most, left) => {
    expect((await quotaOf(storing(stored, most), workspaceId)).remainingBytes).toBe(left);
  });

  test("the refusal names the plan, its limit, the usage and the remedy", async () => {
    const quota = await quotaOf(storing(10 * 2 ** 20 - 1, 10 * 2 ** 20), workspaceId);
    const refusal = quota.refuse("the document");
    expect(refusal).toBeInstanceOf(DomainError);
    expect(refusal.kind).toBe("too_large");
    expect(refusal.message).toBe(
      'there is no room for the document: your organisation\'s plan "team" stores at most 10 MB, of which 10 MB are used; ' +
        "delete datasets, abort uploads that have not ended, or ask for a larger plan",
    );
  });
});

describe("bytes within the quota", () => {
  const quota = () => quotaOf(storing(0, 10), workspaceId);

  test("pass as they are, to the last", async () => {
    const body = withinQuota(chunks(4, 0, 6), { quota: await quota(), what: "the document" });
    expect((await Array.fromAsync(body)).map(({ length }) => length)).toEqual([4, 0, 6]);
  });

  test("end with the first chunk beyond it, and the source is closed", async () => {
    const ended = vi.fn<() => void>();
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield new Uint8Array(4);
      } finally {
        ended();
      }
    }
    const passed: number[] = [];
    const reading = (async () => {
      for await (const { length } of withinQuota(source(), { quota: await quota(), what: "the part" }))
        passed.push(length);
    })();
    await expect(reading).rejects.toThrow(/no room for the part/);
    expect(passed).toEqual([4, 4]);
    expect(ended).toHaveBeenCalledOnce();
  });

  test("may be more by as much as they free, which is queried once and only if needed", async () => {
    const givenBack = vi.fn<() => Promise<number>>(async () => 5);
    const coming = { quota: await quota(), what: "the part", givenBack } as const;
    await Array.fromAsync(withinQuota(chunks(10), coming));
    expect(givenBack).not.toHaveBeenCalled();
    await Array.fromAsync(withinQuota(chunks(11, 4), coming));
    expect(givenBack).toHaveBeenCalledOnce();
    await expect(Array.fromAsync(withinQuota(chunks(11, 5), coming))).rejects.toThrow(/no room/);
  });
});
