import { expect, test } from "vitest";
import { newWorkspaceId } from "../../domain/ids.ts";
import { maxRowAgeMs, recentRows } from "./recent-rows.ts";

const now = 100_000;
const workspaceId = newWorkspaceId();

test.each([
  ["finds all rows while a job has just ended", now - 500, 0],
  ["finds all rows where the clocks of processes differ", now + 1_000, 0],
  ["may do without the newest rows when jobs ended long ago", now - 5_000, maxRowAgeMs],
  ["may do without the newest rows when no job has ended", undefined, maxRowAgeMs],
])("a question %s", async (_, endedAt, expected) => {
  const ages: number[] = [];
  const hasFinishedSince = async (asked: unknown, since: number): Promise<boolean> =>
    asked === workspaceId && endedAt !== undefined && endedAt >= since;
  const searching = (maxAgeMs: number) => `searches among rows of ${ages.push(maxAgeMs)}`;
  const stores = { metadata: { jobs: { hasFinishedSince } }, vectors: { searching }, clock: () => now };
  expect(await recentRows(stores, workspaceId)).toBe("searches among rows of 1");
  expect(ages).toEqual([expected]);
});
