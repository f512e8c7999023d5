import { describe, expect, test } from "vitest";
import { filesToTryAgain, longestOf, outcomeOf, type FileResult, type Report } from "./report.ts";

function fileOf(name: string, tests: Readonly<Record<string, string>>, message = ""): FileResult {
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
    failureMessages: status === "failed" ? ["expected 1 to be 2"] : [],
  }));
  const isFailed = message !== "" || Object.values(tests).includes("failed");
  return { name, status: isFailed ? "failed" : "passed", message, startTime: 0, endTime: 0, assertionResults };
}

function reportOf(...testResults: readonly FileResult[]): Report {
  return { success: testResults.every(({ status }) => status === "passed"), testResults };
}

describe("a run of the tests", () => {
  test("is sound if all pass, and lists skipped tests", () => {
    const outcome = outcomeOf(reportOf(fileOf("/a.test.ts", { one: "passed", two: "skipped" })));
    expect(outcome).toMatchObject({ passed: 1, failed: 0, skipped: ["two"], isSound: true });
  });

  test("tells a test that passes alone from one that fails again", () => {
    const first = reportOf(
      fileOf("/a.test.ts", { one: "failed", two: "passed" }),
      fileOf("/b.test.ts", { three: "failed" }),
      fileOf("/c.test.ts", { four: "passed" }),
    );
    expect(filesToTryAgain(first)).toEqual(["/a.test.ts", "/b.test.ts"]);
    const again = reportOf(
      fileOf("/a.test.ts", { one: "passed", two: "passed" }),
      fileOf("/b.test.ts", { three: "failed" }),
    );
    const outcome = outcomeOf(first, again);
    expect(outcome).toMatchObject({ passed: 3, failed: 1, isSound: false });
    expect(outcome.passedAgain.map(({ name }) => name)).toEqual(["one"]);
    expect(outcome.failures.map(({ name }) => name)).toEqual(["three"]);
  });

  test("fails if a test passes at first and fails when it runs again", () => {
    const first = reportOf(fileOf("/a.test.ts", { one: "failed", two: "passed" }));
    const again = reportOf(fileOf("/a.test.ts", { one: "passed", two: "failed" }));
    expect(outcomeOf(first, again)).toMatchObject({ failed: 1, isSound: false });
  });

  test("fails if a file cannot be read, or if no test catches an error", () => {
    const unread = outcomeOf(reportOf(fileOf("/a.test.ts", {}, "SyntaxError: unexpected token")));
    expect(unread).toMatchObject({ failed: 1, isSound: false });
    expect(unread.failures).toEqual([
      { file: "/a.test.ts", name: "/a.test.ts", message: "SyntaxError: unexpected token" },
    ]);
    const uncaught = { ...reportOf(fileOf("/a.test.ts", { one: "passed" })), success: false };
    expect(outcomeOf(uncaught)).toMatchObject({ failed: 0, isSound: false });
  });

  test("names the files that took longest", () => {
    const took = (name: string, seconds: number) => ({
      ...fileOf(name, {}),
      startTime: 1_000,
      endTime: 1_000 + seconds * 1_000,
    });
    const report = reportOf(took("/a.test.ts", 2), took("/b.test.ts", 60), took("/c.test.ts", 7.4));
    expect(longestOf(report, 2)).toEqual([
      { file: "/b.test.ts", seconds: 60 },
      { file: "/c.test.ts", seconds: 7 },
    ]);
  });

  test("is not repeated if many files fail", () => {
    const files = Array.from({ length: 6 }, (_, at) => fileOf(`/${at}.test.ts`, { [`test ${at}`]: "failed" }));
    expect(filesToTryAgain(reportOf(...files))).toEqual([]);
  });
});
