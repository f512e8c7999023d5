import { describe, expect, it } from "vitest";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { isNoTable, isTableThere, mayBeDamage, remoteErrorOf, retryConflicts, retryVanished } from "./conflicts.ts";

function failing(times: number, message: string): { calls: number; run(): Promise<string> } {
  return {
    calls: 0,
    async run() {
      this.calls += 1;
      if (this.calls <= times) throw new Error(message);
      return "done";
    },
  };
}

describe("retryConflicts", () => {
  it("repeats a write that lost a race", async () => {
    const write = failing(2, "Retryable commit conflict for version 7: concurrent transaction");
    await expect(retryConflicts(() => write.run())).resolves.toBe("done");
    expect(write.calls).toBe(3);
  });

  it("repeats nothing else", async () => {
    const write = failing(1, "No space left on device");
    await expect(retryConflicts(() => write.run())).rejects.toThrow("No space left");
    expect(write.calls).toBe(1);
  });
});

describe("retryVanished", () => {
  it("repeats a read once", async () => {
    const once = failing(1, "Object at location x/data/1.lance not found: No such file or directory");
    await expect(retryVanished(() => once.run())).resolves.toBe("done");
    const twice = failing(2, "not found");
    await expect(retryVanished(() => twice.run())).rejects.toThrow("not found");
    expect(twice.calls).toBe(2);
  });
});

// Sentences of version 0.39, shortened.
describe("tables that are there or not", () => {
  it.each([
    "Table 'none' was not found  Caused by: Dataset at path lance/none.lance was not found: Not found: lance/none.lance/_versions",
    "lance error: Not found: lance/t.lance/_versions, /usr/local/cargo/lance-table-12.0.0/src/io/commit.rs:670:26",
    "Failed to execute query stream: GenericFailure, lance error: Not found: lance/t.lance/_versions, commit.rs:670:26",
  ])("are told from damage: %s", (message) => {
    expect(isNoTable(new Error(message))).toBe(true);
  });

  it("are not taken for gone when a file of theirs is", () => {
    expect(isNoTable(new Error("lance error: Not found: lance/t.lance/data/0.lance, reader.rs:1:2"))).toBe(false);
    expect(isNoTable(new Error("lance error: Not found: lance/t.lance/_versions/7.manifest"))).toBe(false);
    expect(isTableThere(new Error("Table 't' already exists"))).toBe(true);
  });
});

describe("remoteErrorOf", () => {
  const get = "LanceError(IO): Generic S3 error: Error performing GET http://127.0.0.1:1/drs?list-type=2";
  it.each([
    [
      `${get} in 262.780449ms, after 2 retries, max_retries: 2, retry_timeout: 10s  - HTTP error: error sending request`,
      "unreachable",
    ],
    [
      "Failed to connect to namespace: IO { inner: Http(HttpError { kind: Connect, source: reqwest::Error",
      "unreachable",
    ],
    [`${get} in 1s - Server returned non-2xx status code: 503 Service Unavailable: SlowDown`, "unreachable"],
    [
      'Failed to connect to namespace: IO { inner: Status { status: 403, body: Some("SignatureDoesNotMatch")',
      "refused",
    ],
    ['IO { inner: Status { status: 404, body: Some("<Code>NoSuchBucket</Code>") } }', "refused"],
    ["lance error: Retryable commit conflict for version 7", undefined],
    ["lance error: LanceError(IO): Generic memory error: Invalid range 0..0 for object of size 0 bytes", undefined],
  ])("%s is %s", (message, fault) => {
    expect(storageFaultOf(remoteErrorOf(new Error(message)))).toBe(fault);
  });
});

describe("mayBeDamage", () => {
  it("tells what a damaged table can say from what has another reason", () => {
    const damage = [
      "lance error: LanceError(IO): Generic memory error: Invalid range 0..0 for object of size 0 bytes",
      "Failed to get next batch from stream: lance error: Not found: x.lance/_deletions/5-13-1.arrow",
      "Table 'dense2.p.text' was not found",
    ];
    const others = [
      "lance error: No space left on device (os error 28)",
      "lance error: Too many open files (os error 24)",
      "lance error: Retryable commit conflict for version 7",
      "no words",
    ];
    for (const message of damage)
      expect({ message, is: mayBeDamage(new Error(message)) }).toEqual({ message, is: true });
    for (const message of others)
      expect({ message, is: mayBeDamage(new Error(message)) }).toEqual({ message, is: false });
  });
});
