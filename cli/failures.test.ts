import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDrs, DrsError, type DrsErrorCode } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exitCodes } from "./exit-codes.ts";
import { describeFailure } from "./failures.ts";

const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (cause) {
    return cause;
  }
  throw new Error("nothing was thrown");
};

describe("what the service answers says what to do next", () => {
  test.each<[DrsErrorCode, number | undefined, string, number]>([
    ["unauthenticated", 401, "drs login", exitCodes.auth],
    ["internal", 500, "request req_7", exitCodes.failed],
    ["unavailable", 503, "try again", exitCodes.failed],
    ["deadline_exceeded", 504, "try again", exitCodes.failed],
    ["unavailable", undefined, "drs serve", exitCodes.failed],
  ])("%s %s", (code, status, next, exitCode) => {
    const failure = describeFailure(new DrsError({ code, status, message: "a sentence", requestId: "req_7" }));
    expect(failure).toMatchObject({ message: "a sentence", next: expect.stringContaining(next), code, exitCode });
  });

  test.each<[DrsErrorCode, number, reason: string, exitCode: number]>([
    ["permission_denied", 403, "SCOPE_MISSING", exitCodes.auth],
    ["not_found", 404, "JOB_NOT_FOUND", exitCodes.failed],
    ["resource_exhausted", 413, "DOCUMENT_TOO_LARGE", exitCodes.failed],
    ["resource_exhausted", 507, "STORAGE_FULL", exitCodes.failed],
    ["resource_exhausted", 429, "RATE_LIMITED", exitCodes.failed],
  ])("%s %s comes with the next step of the service", (code, status, reason, exitCode) => {
    const failure = describeFailure(
      new DrsError({ code, status, message: "a sentence", reason, next: "the next step" }),
    );
    expect(failure).toEqual({ message: "a sentence", next: "the next step", code, exitCode });
  });

  test("what is no drs server is suspected to be none", async () => {
    const stranger = createServer((_, response) => response.writeHead(404).end("<h1>nothing here</h1>"));
    stranger.listen(0, "127.0.0.1");
    await once(stranger, "listening");
    const address = stranger.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const cause = await thrownBy(() => createDrs({ server: `http://127.0.0.1:${port}` }).jobs.get("dsj_1"));
    stranger.close();
    expect(describeFailure(cause).next).toContain("drs doctor --server");
  });
});

describe("what this machine refuses says what to do next", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-failures-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each<[string, () => unknown, string]>([
    ["ENOENT", () => open(join(folder, "absent")), "check the path"],
    ["EISDIR", () => writeFile(folder, ""), "name a file"],
    ["ENAMETOOLONG", () => open(join(folder, "n".repeat(300))), "choose a shorter one"],
    ["CANTOPEN", () => new DatabaseSync(join(folder, "absent", "database")), "check owner and permissions"],
    ["NOTADB", () => noDatabase(), "restore it from a copy"],
  ])("%s", async (_, work, next) => {
    const failure = describeFailure(await thrownBy(work));
    expect(failure).toMatchObject({ code: "failed", next: expect.stringContaining(next) });
  });

  async function noDatabase(): Promise<void> {
    const path = join(folder, "no-database");
    await writeFile(path, "x".repeat(4_096));
    const database = new DatabaseSync(path);
    try {
      database.exec("pragma user_version = 1");
    } finally {
      database.close();
    }
  }

  test.each<[fault: string, next: string]>([
    ["unreachable", "look whether it runs"],
    ["refused", "check the address, the credentials"],
  ])("a store elsewhere that is %s", (fault, next) => {
    const inner = Object.assign(new Error("the metadata database is away"), { name: "StoreError", fault });
    const failure = describeFailure(new Error("outer", { cause: inner }));
    expect(failure).toMatchObject({ message: "the metadata database is away", exitCode: exitCodes.failed });
    expect(failure.next).toContain(next);
  });

  test("a failure is seen through what it was wrapped in", async () => {
    const inner = await thrownBy(() => open(join(folder, "absent")));
    expect(describeFailure(new Error("outer", { cause: inner })).next).toBe("check the path");
  });

  test("an unforeseen error is a bug, with its stack", () => {
    const failure = describeFailure(new Error("surprise"));
    expect(failure.code).toBe("bug");
    expect(failure.message).toContain("failures.test.ts");
  });
});
