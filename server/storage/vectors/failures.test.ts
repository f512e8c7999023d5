import { describe, expect, it } from "vitest";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { isOfLance, remoteErrorOf, retryWrite } from "./failures.ts";

const failureOf = (code: string | undefined): Error => Object.assign(new Error("of something"), { code });

function failing(times: number, code: string): { calls: number; run(): Promise<string> } {
  return {
    calls: 0,
    async run() {
      this.calls += 1;
      if (this.calls <= times) throw failureOf(code);
      return "done";
    },
  };
}

describe("retryWrite", () => {
  it("repeats a write that failed in LanceDB, and finally gives up", async () => {
    const write = failing(2, "GenericFailure");
    await expect(retryWrite(() => write.run())).resolves.toBe("done");
    expect(write.calls).toBe(3);
    const always = failing(100, "GenericFailure");
    await expect(retryWrite(() => always.run())).rejects.toThrow("of something");
    expect(always.calls).toBe(8);
  });

  it("repeats nothing else", async () => {
    const write = failing(1, "EACCES");
    await expect(retryWrite(() => write.run())).rejects.toThrow("of something");
    expect(write.calls).toBe(1);
  });
});

describe("isOfLance", () => {
  it("tells errors of LanceDB from others", () => {
    expect(isOfLance(failureOf("GenericFailure"))).toBe(true);
    for (const other of [failureOf("ENOENT"), failureOf(undefined), new TypeError("x"), "GenericFailure", undefined]) {
      expect(isOfLance(other)).toBe(false);
    }
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
