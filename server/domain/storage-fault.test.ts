import { expect, test } from "vitest";
import { invalid, storageFull } from "./errors.ts";
import { refusalOf, storageFaultOf, StoreError } from "./storage-fault.ts";

const sqlite = (errcode: number): Error => Object.assign(new Error("x"), { code: "ERR_SQLITE_ERROR", errcode });
const system = (code: string): Error => Object.assign(new Error(`${code}: x`), { code });

test.each([
  [system("ENOSPC"), "full"],
  [system("EDQUOT"), "full"],
  [system("EROFS"), "read-only"],
  [system("EMFILE"), "handles"],
  [system("ENFILE"), "handles"],
  [sqlite(13), "full"],
  [sqlite(4874), "full"],
  [sqlite(8), "read-only"],
  [sqlite(1032), "read-only"],
  [sqlite(14), "read-only"],
  [new Error("lance error: LanceError(IO): No space left on device (os error 28), /a/b.rs:1:2"), "full"],
  [Object.assign(new Error("IO: No space left on device (os error 28)"), { code: "GenericFailure" }), "full"],
  [new Error("outer", { cause: new Error("middle", { cause: system("ENOSPC") }) }), "full"],
  [new AggregateError([new Error("a"), system("ENOSPC")]), "full"],
  [storageFull("no space left"), "full"],
  [new StoreError("unreachable", "connect ECONNREFUSED"), "unreachable"],
  [new Error("outer", { cause: new StoreError("refused", "AccessDenied") }), "refused"],
  [new StoreError("store-full", "QuotaExceeded"), "store-full"],
  [sqlite(5), undefined],
  [sqlite(266), undefined],
  [system("ENOENT"), undefined],
  [invalid("no space left on device"), undefined],
  ["ENOSPC", undefined],
])("%s is %s", (cause, fault) => {
  expect(storageFaultOf(cause)).toBe(fault);
});

test("a cycle of causes ends", () => {
  const a = new Error("a");
  a.cause = new Error("b", { cause: a });
  expect(storageFaultOf(a)).toBeUndefined();
});

test("a full store is reported as full; one that cannot be written for now is unavailable", () => {
  for (const [fault, where] of [
    ["full", /^the disk of the server's data folder/],
    ["store-full", /^a store of the server/],
  ] as const) {
    expect(refusalOf(fault, undefined)).toMatchObject({ kind: "storage_full", message: expect.stringMatching(where) });
  }
  expect(refusalOf("read-only", undefined).kind).toBe("unavailable");
  expect(refusalOf("unreachable", undefined)).toMatchObject({ kind: "unavailable", retryAfterSeconds: 5 });
});
