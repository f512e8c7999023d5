import { expect, test } from "vitest";
import { newWorkspaceId } from "../ids.ts";
import { readWhole } from "./read.ts";

const caller = { workspaceId: newWorkspaceId() };

test.each([
  ["is read once", undefined, ["first"]],
  ["is read again where a new version came in between", 10_000, ["first", "second"]],
  ["is read again where one may have come before that was not there yet", 6_000, ["first", "second"]],
  ["is read once where one came long before", 4_000, ["first"]],
])("an answer %s", async (_, replacedAt, expected) => {
  const answers = ["first", "second"];
  const read: string[] = [];
  const datasets = {
    isReplacedSince: async (_workspaceId: unknown, since: number) => replacedAt !== undefined && replacedAt >= since,
  };
  const answer = await readWhole({ clock: () => 10_000, metadata: { datasets } }, caller, async () => {
    read.push(answers[read.length] ?? "");
    return read.at(-1);
  });
  expect(answer).toBe(expected.at(-1));
  expect(read).toEqual(expected);
});
