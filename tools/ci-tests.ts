import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { filesToTryAgain, longestOf, outcomeOf, type Failure, type Outcome, type Report } from "./ci/report.ts";

/**
 * `node tools/ci-tests.ts SCRIPT… [OPTION…]`: runs these scripts of package.json, each a run of vitest with these options. The
 * files of failed tests run again, alone on the machine; tests that pass only then are listed as defects. Each run lists the
 * files that took longest. Failures are listed at the end, after the skipped tests, and the last line is like `N passed, N
 * failed, N skipped`.
 */

/** The maximum lines of a failure message, so that the end of a log shows all failures. */
const maxLinesOfMessage = 25;
/** The number of slowest files listed: they take most of the time of a run. */
const longestFiles = 20;

const words = process.argv.slice(2);
const scripts = words.filter((word) => !word.startsWith("-"));
const options = words.filter((word) => word.startsWith("-"));
const folder = await mkdtemp(join(tmpdir(), "drs-ci-tests-"));

/** Returns undefined if the run ended before it could report. */
async function run(script: string, name: string, forVitest: readonly string[]): Promise<Report | undefined> {
  const file = join(folder, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const npm = spawn("npm", ["run", script, "--", ...forVitest, ...reporters], { stdio: "inherit" });
  await once(npm, "exit");
  const text = await readFile(file, "utf8").catch(() => "");
  const report: Report | undefined = text === "" ? undefined : JSON.parse(text);
  return report;
}

async function outcomeOfScript(script: string): Promise<Outcome | undefined> {
  const name = script.replaceAll(":", "-");
  const first = await run(script, name, options);
  if (first === undefined) return undefined;
  for (const { file, seconds } of longestOf(first, longestFiles)) {
    console.log(`${String(seconds).padStart(5)} s ${relative(process.cwd(), file)}`);
  }
  const files = filesToTryAgain(first).map((file) => relative(process.cwd(), file));
  if (files.length === 0) return outcomeOf(first);
  console.log(`\na second try of ${files.join(", ")}\n`);
  return outcomeOf(first, await run(script, `${name}-again`, [...files, "--no-file-parallelism"]));
}

function tell(title: string, failures: readonly Failure[]): void {
  for (const { file, name, message } of failures) {
    const own = message.split("\n").filter((line) => !/^\s+at .*node_modules/u.test(line));
    console.log(`${title}: ${name} (${relative(process.cwd(), file)})`);
    for (const line of own.slice(0, maxLinesOfMessage)) console.log(`    ${line}`);
  }
}

const outcomes = [];
for (const script of scripts) outcomes.push({ script, outcome: await outcomeOfScript(script) });
await rm(folder, { recursive: true, force: true });

const whole = outcomes.flatMap(({ outcome }) => outcome ?? []);
for (const name of whole.flatMap(({ skipped }) => skipped)) console.log(`skipped: ${name}`);
tell(
  "passed only when tried again, a defect to be mended",
  whole.flatMap(({ passedAgain }) => passedAgain),
);
tell(
  "FAILED",
  whole.flatMap(({ failures }) => failures),
);
for (const { script, outcome } of outcomes) {
  if (outcome === undefined) console.log(`npm run ${script} ended without a report`);
  else if (!outcome.isSound && outcome.failed === 0) console.log(`npm run ${script} met an error that no test caught`);
}
const sum = (count: (outcome: Outcome) => number) => whole.reduce((total, outcome) => total + count(outcome), 0);
console.log(
  `${sum((each) => each.passed)} passed, ${sum((each) => each.failed)} failed, ${sum((each) => each.skipped.length)} skipped`,
);
process.exitCode = outcomes.every(({ outcome }) => outcome?.isSound === true) ? 0 : 1;
