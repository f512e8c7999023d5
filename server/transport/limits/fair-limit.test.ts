import { describe, expect, test } from "vitest";
import { createFairLimit, type FairLimit, type Hold, type Parties } from "./fair-limit.ts";

/** Enters until it is refused, and returns how often it was admitted. */
function fill(limit: FairLimit, parties: Parties, tries = 1000): Hold[] {
  const holds: Hold[] = [];
  for (let times = 0; times < tries; times++) {
    const entered = limit.enter(parties);
    if ("dimension" in entered) break;
    holds.push(entered);
  }
  return holds;
}

describe("the places that one party may hold", () => {
  test.each([
    ["a link", { link: "a" }, 256],
    ["a caller", { caller: "a" }, 256],
    ["a workspace", { workspace: "a" }, 384],
    ["an organisation", { organisation: "a" }, 384],
    ["an address", { address: "a" }, 384],
    ["a caller of an organisation behind an address", { caller: "a", organisation: "a", address: "a" }, 256],
  ])("%s", (_name, parties, max) => {
    const limit = createFairLimit(512);
    expect(fill(limit, parties)).toHaveLength(max);
    const [dimension] = Object.keys(parties);
    expect(limit.enter(parties)).toEqual({ dimension, held: max });
  });

  test("grow with the free places, and there is always a place for another party", () => {
    const limit = createFairLimit(512);
    const first = fill(limit, { link: "first" });
    for (let party = 0; party < 8; party++) expect(fill(limit, { link: `${party}` }).length).toBeGreaterThan(0);
    expect(limit.enter({ link: "first" })).toMatchObject({ dimension: "link" });
    for (const hold of first) hold.leave();
    expect(fill(limit, { link: "last" }).length).toBeGreaterThan(100);
  });

  test("callers of one organisation leave room to each other, and their organisation to others", () => {
    const limit = createFairLimit(512);
    const organisation = "large";
    let held = 0;
    for (let caller = 0; caller < 50; caller++) held += fill(limit, { caller: `${caller}`, organisation }).length;
    expect(held).toBe(384);
    expect(fill(limit, { caller: "other", organisation: "small" })).toHaveLength(64);
  });
});

test("many parties can take all places; then the process is the bound", () => {
  const limit = createFairLimit(3);
  for (const caller of ["a", "b", "c"]) expect(limit.enter({ caller })).toHaveProperty("leave");
  expect(limit.enter({ caller: "d" })).toEqual({ dimension: "process" });
});

test("a limit of one place lets one in at a time", () => {
  const limit = createFairLimit(1);
  const [hold] = fill(limit, { link: "a", caller: "a", organisation: "a", address: "a" });
  expect(limit.enter({ link: "b" })).toEqual({ dimension: "process" });
  hold?.leave();
  expect(fill(limit, { link: "b" })).toHaveLength(1);
});

test("a party that is known later counts from then on, and leaves with the place", () => {
  const limit = createFairLimit(4);
  const [first, second, third] = fill(limit, { address: "a" });
  expect(first?.count({ link: "x" })).toBeUndefined();
  expect(second?.count({ link: "x" })).toBeUndefined();
  expect(third?.count({ link: "x" })).toEqual({ dimension: "link", held: 2 });
  first?.leave();
  first?.leave();
  expect(limit.taken).toBe(2);
  expect(third?.count({ link: "x" })).toBeUndefined();
  expect(first?.count({ link: "x" })).toBeUndefined();
});

test("places that are given back leave nothing behind", () => {
  const limit = createFairLimit(64);
  for (let times = 0; times < 1000; times++) {
    const entered = limit.enter({ link: `${times}`, address: "a" });
    if ("leave" in entered) entered.leave();
  }
  expect(limit.taken).toBe(0);
  expect(fill(limit, { address: "a" })).toHaveLength(48);
});
