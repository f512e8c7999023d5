import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { documentProcessArguments, documentProcessEnvironment } from "./environment.ts";

/** Keeps its objects for a while, as a worker keeps the pages of a batch, and prints the size of the young heap in MB. */
const program = `
  const { getHeapSpaceStatistics } = await import("node:v8");
  let kept = [];
  for (let round = 0; round < 60; round += 1) {
    for (let count = 0; count < 20_000; count += 1) kept.push({ round, count, text: String(count) });
    if (round % 10 === 9) kept = [];
  }
  const { space_size: bytes } = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  console.log(bytes / 2 ** 20);
`;

test("the young JavaScript heap of a process that opens documents is bounded by a setting, not by the machine's memory", async () => {
  const args = [...documentProcessArguments(), "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: documentProcessEnvironment() });
  // It is 64 with V8's default on a machine with 24 GB.
  expect(Number.parseFloat(stdout)).toBeLessThanOrEqual(24);
});
