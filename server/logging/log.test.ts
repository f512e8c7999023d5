import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { logText } from "./log.ts";

const time = new Date(2026, 0, 2, 3, 4, 5).getTime();
const line = (fields: object): string => `${JSON.stringify({ level: 30, time, process: "api", ...fields })}\n`;

test("a line has time, level, process, message and the other fields", () => {
  expect(logText(line({ msg: "request", status: 200, path: "/v1/jobs" }), false)).toBe(
    "03:04:05 info  api        request status=200 path=/v1/jobs\n",
  );
});

test("the stack of an error stands below, what has none beside the message", () => {
  const err = { type: "Error", message: "no", stack: "Error: no\n    at a.ts:1" };
  expect(logText(line({ level: 50, msg: "failed", err, jobId: "dsj_1" }), false)).toBe(
    "03:04:05 error api        failed jobId=dsj_1\n    Error: no\n        at a.ts:1\n",
  );
  expect(logText(line({ msg: "failed", err: { message: "no" } }), false)).toContain("failed message=no");
});

test("colours go around the same text", () => {
  const coloured = logText(line({ level: 40, msg: "odd" }), true);
  expect(coloured).toContain("\u001B[33mwarn \u001B[39m");
  expect(stripVTControlCharacters(coloured)).toBe(logText(line({ level: 40, msg: "odd" }), false));
});

test("what a caller has sent cannot steer the terminal or begin a line of its own", () => {
  expect(logText(line({ msg: "request", path: "/\u001B]0;x\u0007\n03:04:05 info", "a\nb": 1 }), false)).toBe(
    "03:04:05 info  api        request path=/?]0;x??03:04:05 info a?b=1\n",
  );
});

test("what is no entry of the log stays as it is", () => {
  for (const other of ["Warning: odd\n", "[1]\n", ""]) expect(logText(other, true)).toBe(other);
});
