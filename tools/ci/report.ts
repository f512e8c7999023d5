/** The parts of the output of vitest's JSON reporter that are used here. */
export interface Report {
  /** False also for an uncaught error or an unreadable file without a failed test. */
  readonly success: boolean;
  readonly testResults: readonly FileResult[];
}

export interface FileResult {
  /** The absolute path of the test file. */
  readonly name: string;
  readonly status: string;
  /** The reason if the file itself failed, besides its tests. */
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

export interface Failure {
  readonly file: string;
  readonly name: string;
  readonly message: string;
}

/** The maximum number of failed files that run again. More failures are unlikely to be caused by timing. */
const maxFilesTriedAgain = 5;

function testsWith(report: Report, ...statuses: readonly string[]): TestResult[] {
  return report.testResults.flatMap((file) => file.assertionResults).filter(({ status }) => statuses.includes(status));
}

/** Returns each failed test, and each file that failed as a whole. */
export function failuresOf(report: Report): Failure[] {
  return report.testResults.flatMap((file) => {
    const tests = file.assertionResults
      .filter(({ status }) => status === "failed")
      .map((test) => ({
        file: file.name,
        name: test.fullName.trim(),
        message: (test.failureMessages ?? []).join("\n"),
      }));
    const isWhole = file.status === "failed" && tests.length === 0;
    return isWhole ? [{ file: file.name, name: file.name, message: file.message }] : tests;
  });
}

/** Returns the failed files; none if they are too many, or if something outside of a file failed. */
export function filesToTryAgain(report: Report): string[] {
  const files = [...new Set(failuresOf(report).map(({ file }) => file))];
  return files.length > maxFilesTriedAgain ? [] : files;
}

interface Duration {
  readonly file: string;
  readonly seconds: number;
}

/** Returns the files that took longest, longest first. */
export function longestOf(report: Report, count: number): Duration[] {
  return report.testResults
    .map(({ name, startTime, endTime }) => ({ file: name, seconds: Math.round((endTime - startTime) / 1_000) }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, count);
}

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  /** Tests that failed at first, and passed when their files ran again alone. */
  readonly passedAgain: readonly Failure[];
  readonly failures: readonly Failure[];
  /** Whether nothing failed or was interrupted. */
  readonly isSound: boolean;
}

/** Returns the outcome of a run and of the second run of its failed files. */
export function outcomeOf(first: Report, again?: Report): Outcome {
  const before = failuresOf(first);
  const failures = again === undefined ? before : failuresOf(again);
  const passedAgain =
    again === undefined ? [] : before.filter(({ name }) => !failures.some((failure) => failure.name === name));
  return {
    passed: testsWith(first, "passed").length + passedAgain.length,
    failed: failures.length,
    skipped: testsWith(first, "skipped", "pending").map(({ fullName }) => fullName.trim()),
    passedAgain,
    failures,
    isSound: failures.length === 0 && (again ?? first).success,
  };
}
