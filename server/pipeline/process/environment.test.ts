import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { allocator, documentProcessArguments, documentProcessEnvironment } from "./environment.ts";

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

const report: object = process.report.getReport();
const isGlibc =
  "header" in report &&
  typeof report.header === "object" &&
  report.header !== null &&
  "glibcVersionRuntime" in report.header;

/** Allocates 200 pictures of 2 MB with small blocks between them that stay, frees the pictures, and prints the growth of the process in MB. */
const pictureProgram = `
  const block = (bytes) => new Uint8Array(bytes).fill(1);
  const settle = async () => {
    for (let round = 0; round < 3; round += 1) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  block(30 * 2 ** 20);
  await settle();
  const before = process.memoryUsage.rss();
  const kept = [];
  let pictures = [];
  for (let count = 0; count < 200; count += 1) {
    pictures.push(block(2 * 2 ** 20));
    kept.push(block(16 * 2 ** 10));
  }
  pictures = [];
  await settle();
  console.log((process.memoryUsage.rss() - before) / 2 ** 20, kept.length);
`;

test.skipIf(!isGlibc)(
  `the worker's allocator gives the memory of pictures back that lay between blocks that stay${isGlibc ? "" : " (skipped: this system's C library is not glibc)"}`,
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--expose-gc", "--input-type=module", "--eval", pictureProgram],
      { env: { ...process.env, ...allocator } },
    );
    // It is 400 with glibc's defaults.
    expect(Number.parseFloat(stdout)).toBeLessThan(100);
  },
);
