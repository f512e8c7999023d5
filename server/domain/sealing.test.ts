import { expect, test } from "vitest";
import { openAnswer, sealAnswer } from "./sealing.ts";

const secret = { credential: "drs_01_abc", idempotencyKey: "order-1" };
const answer = Buffer.from('{"key":"drs_02_def"}');

test("an answer is opened by the credential and key that sealed it", () => {
  const sealed = sealAnswer(answer, secret);
  expect(Buffer.from(sealed).includes("drs_02_def")).toBe(false);
  expect(openAnswer(sealed, secret)).toEqual(answer);
});

test("sealing one answer twice gives different bytes", () => {
  expect(sealAnswer(answer, secret)).not.toEqual(sealAnswer(answer, secret));
});

test.each([
  { ...secret, credential: "drs_01_abd" },
  { ...secret, idempotencyKey: "order-2" },
])("nothing else opens it: %j", (other) => {
  expect(openAnswer(sealAnswer(answer, secret), other)).toBeUndefined();
});

test("an answer that was tampered with is not opened", () => {
  const sealed = sealAnswer(answer, secret);
  for (const at of [0, 32, 44, sealed.length - 1]) {
    const tampered = Buffer.from(sealed);
    tampered[at] = (tampered[at] ?? 0) ^ 1;
    expect(openAnswer(tampered, secret)).toBeUndefined();
  }
});
