import { expect, test } from "vitest";
import { verdictOf } from "./verdict.ts";

const report = (vulnerabilities: object): string => JSON.stringify({ auditReportVersion: 2, vulnerabilities });

test("high and critical vulnerabilities fail, and are named", () => {
  const found = { a: { severity: "moderate" }, b: { severity: "high" }, c: { severity: "critical" } };
  expect(verdictOf(report(found))).toEqual({
    kind: "vulnerable",
    sentence: "known vulnerabilities in b (high), c (critical)",
  });
});

test("lesser ones, or none, do not", () => {
  expect(verdictOf(report({}))).toMatchObject({ kind: "clean" });
  expect(verdictOf(report({ a: { severity: "low" } }))).toMatchObject({
    kind: "clean",
    sentence: expect.stringMatching(/, 1 with lesser ones$/),
  });
});

test("a registry that does not answer audits gives an unknown verdict, not a clean one", () => {
  const refusal = JSON.stringify({
    message: "405 Method Not Allowed - POST https://registry.example/",
    statusCode: 405,
  });
  expect(verdictOf(refusal)).toEqual({
    kind: "unknown",
    sentence: "the registry answers no audit: 405 Method Not Allowed - POST https://registry.example/",
  });
});

test.each(["", "npm error", "[]", "{}", "null"])("%j is no report at all", (output) => {
  expect(() => verdictOf(output)).toThrow(/JSON|npm audit wrote/);
});
