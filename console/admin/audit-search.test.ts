import type { AuditEvent, Page } from "@drs/client";
import { expect, test } from "vitest";
import { type AuditSearch, findEvents, type FoundEvents } from "./audit-search.ts";

/** A log of so many events, one a second, by two actors in turn. */
function log(total: number) {
  let asked = 0;
  const event = (index: number): AuditEvent => ({
    id: `evt_${index}`,
    at: (total - index) * 1_000,
    actor: index % 2 === 0 ? "key key_1" : "member mem_1",
    action: "key.create",
    target: "key_2",
    workspaceId: null,
    details: "",
  });
  const readPage = async ({ offset, limit }: { offset: number; limit: number }): Promise<Page<AuditEvent>> => {
    asked += 1;
    const length = Math.max(Math.min(limit, total - offset), 0);
    return { total, offset, limit, data: Array.from({ length }, (_, index) => event(offset + index)) };
  };
  return {
    find: async (search: AuditSearch, offset = 0): Promise<FoundEvents> => findEvents(readPage, search, offset),
    asked: () => asked,
  };
}

test("without a wish there is a page of the newest, and the way to older ones", async () => {
  const { find } = log(120);
  const first = await find({});
  expect([first.events.length, first.events[0]?.id, first.next]).toEqual([50, "evt_0", 50]);
  const second = await find({}, 50);
  const third = await find({}, second.next);
  expect([third.events.length, third.events.at(-1)?.id, third.next]).toEqual([20, "evt_119", undefined]);
});

test("an actor's events are gathered over pages, none missed and none twice", async () => {
  const { find } = log(300);
  const ids: string[] = [];
  let next: number | undefined = 0;
  while (next !== undefined) {
    const found: FoundEvents = await find({ actor: "member mem_1" }, next);
    ids.push(...found.events.map(({ id }) => id));
    next = found.next;
  }
  expect(ids).toEqual(Array.from({ length: 150 }, (_, index) => `evt_${2 * index + 1}`));
});

test("reading ends where the log gets older than wanted", async () => {
  const { find, asked } = log(10_000);
  const { events, next } = await find({ from: 9_990_000, until: 9_995_000 });
  expect(events.map(({ at }) => at / 1_000)).toEqual([9_994, 9_993, 9_992, 9_991, 9_990]);
  expect([next, asked()]).toEqual([undefined, 1]);
});

test("a search in vain pauses, and can be gone on with", async () => {
  const { find, asked } = log(10_000);
  expect(await find({ actor: "service" })).toEqual({ events: [], next: 2_000 });
  expect(asked()).toBe(20);
});
