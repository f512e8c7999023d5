import { expect, test } from "vitest";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { storeErrorOf } from "./faults.ts";

const answer = (name: string, status: number): Error =>
  Object.assign(new Error(`${name}: x`), { name, $metadata: { httpStatusCode: status } });

test.each([
  // The responses of Ceph and MinIO: a full bucket is neither a wrong key, nor a server that is down, nor the disk of
  // this machine.
  [answer("QuotaExceeded", 403), "store-full"],
  [answer("XMinioStorageFull", 507), "store-full"],
  [answer("Unknown", 507), "store-full"],
  [answer("AccessDenied", 403), "refused"],
  [answer("SlowDown", 503), "unreachable"],
])("%s is %s", (cause, fault) => {
  expect(storageFaultOf(storeErrorOf(cause))).toBe(fault);
});
