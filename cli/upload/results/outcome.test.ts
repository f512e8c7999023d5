import type { Job } from "@drs/client";
import { describe, expect, test } from "vitest";
import { exitCodes } from "../../exit-codes.ts";
import { jsonOf, resultLines, type UploadResult } from "./outcome.ts";
import { counted, emptyTally, exitCodeOfAll, tallyLine } from "./tally.ts";

const job: Job = {
  id: "dsj_1",
  datasetId: "ds_1",
  type: "datasets/extract",
  status: "SUCCESS",
  statusText: "",
  startedAt: 1,
  finishedAt: 2,
  canceledAt: null,
  createdAt: 1,
  updatedAt: 2,
  progress: { stage: "done", pagesDone: 20, pagesTotal: 20 },
  failures: [],
  warnings: [],
};
const warnings: Job["warnings"] = [
  { code: "formula", message: "no box\u001b[2J", page: 4 },
  { code: "font", message: "letters are boxes" },
];
const partly: Job = { ...job, failures: [{ page: 3, reason: "too slow\u001b[2J" }] };
const broken: Job = { ...job, status: "ERROR", statusText: "the document has no pages" };
const failure = {
  message: "access is not permitted",
  next: "check the owner",
  code: "failed",
  exitCode: exitCodes.failed,
};

const sent: UploadResult = { file: "a.pdf", bytes: 100, outcome: "uploaded", job };
const sentPartly: UploadResult = { ...sent, job: partly };
const sentBroken: UploadResult = { ...sent, job: broken };
const searchable: UploadResult = { ...sent, outcome: "vectorized" };
const there: UploadResult = { file: "b.pdf", bytes: 50, outcome: "skipped", datasetId: "ds_1", expiresAt: null };
const same: UploadResult = { file: "c.pdf", bytes: 50, outcome: "skipped", datasetId: "ds_1", sameAs: "a.pdf" };
const notSent: UploadResult = { file: "d.pdf", bytes: 9, outcome: "failed", failure };
const locked: UploadResult = { ...notSent, failure: { ...failure, exitCode: exitCodes.auth } };

test.each([
  [sent, ["a.pdf: ds_1, 20 pages"]],
  [sentPartly, ["a.pdf: ds_1, 20 pages, 1 of them failed", "  page 3: too slow\uFFFD[2J"]],
  [sentBroken, ["a.pdf: failed: the document has no pages"]],
  [
    { ...sent, job: { ...job, warnings } } as const,
    ["a.pdf: ds_1, 20 pages, 2 warnings", "  warning: page 4: no box\uFFFD[2J", "  warning: letters are boxes"],
  ],
  [{ ...sent, job: { ...job, status: "IN_PROGRESS" } } as const, ["a.pdf: ds_1, job dsj_1"]],
  [there, ["b.pdf: already there (ds_1)"]],
  [{ ...there, job } as const, ["b.pdf: already there (ds_1), 20 pages"]],
  [same, ["c.pdf: same content as a.pdf (ds_1)"]],
  [notSent, ["d.pdf: not uploaded: access is not permitted"]],
])("for a person, %#", (result, lines) => {
  expect(resultLines(result)).toEqual(lines);
});

test.each([
  [
    sent,
    {
      file: "a.pdf",
      outcome: "uploaded",
      datasetId: "ds_1",
      jobId: "dsj_1",
      status: "SUCCESS",
      failures: [],
      warnings: [],
      job,
    },
  ],
  [sentBroken, { outcome: "failed", error: "the document has no pages", status: "ERROR", datasetId: "ds_1" }],
  [searchable, { outcome: "vectorized", datasetId: "ds_1" }],
  [there, { file: "b.pdf", outcome: "skipped", reason: "already there", datasetId: "ds_1", expiresAt: null }],
  [{ ...there, job: broken } as const, { outcome: "failed", error: "the document has no pages" }],
  [same, { outcome: "skipped", reason: "same content", sameAs: "a.pdf", datasetId: "ds_1" }],
  [notSent, { outcome: "failed", error: "access is not permitted", code: "failed", next: "check the owner" }],
  [{ ...notSent, job } as const, { outcome: "failed", datasetId: "ds_1", jobId: "dsj_1" }],
])("for a program, %#", (result, json) => {
  expect(JSON.parse(JSON.stringify(jsonOf(result)))).toMatchObject(json);
});

describe("a run", () => {
  test.each([
    [[], 1],
    [[sent, there, same, searchable], 0],
    [[{ ...sent, job: { ...job, warnings } } as const], 0],
    [[sent, sentPartly], 3],
    [[sent, notSent], 3],
    [[there, sentBroken], 3],
    [[notSent, sentBroken], 1],
    [[notSent, locked], 1],
    [[locked, locked], 4],
  ])("of %# exits with %i", (results, code) => {
    expect(exitCodeOfAll(results.reduce(counted, emptyTally))).toBe(code);
  });

  test("is summed up in one line", () => {
    const tally = [sent, sent, there, same, notSent, sentBroken].reduce(counted, emptyTally);
    expect(tally).toMatchObject({ uploaded: 2, skipped: 2, failed: 2, pages: 40, sentBytes: 300, endedBytes: 409 });
    expect(tallyLine({ ...tally, leftOut: 1 }, 61_000)).toBe(
      "2 uploaded (40 pages, 300 B), 2 already there, 2 failed, 1 other file left out in 1 min 1 s",
    );
    expect(tallyLine(counted(emptyTally, searchable), 5_000)).toBe("0 uploaded, 1 made searchable in 5 s");
  });
});
