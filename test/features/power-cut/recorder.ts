import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Why power cuts cannot be tried on this machine; undefined if they can. */
export function whyNot(): string | undefined {
  if (process.platform !== "linux") return "power cuts are only tried on Linux";
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "there is no C compiler (cc)";
  }
}

/** Where a process notes what it does to its files, and the environment that makes it do so. */
export interface Recording {
  /** The files of the process. */
  readonly root: string;
  readonly log: string;
  /** Files that were removed or replaced. */
  readonly kept: string;
  /** `cutAt`: the change at which the process and its group are killed; 0: never. */
  environment(cutAt: number): Record<string, string>;
  /** Changes of files so far. */
  changes(): number;
  /** Forgets what was noted: what is there now is on disk. */
  settle(): void;
  remove(): void;
}

const source = fileURLToPath(new URL("./shim.c", import.meta.url));

/** A folder for a process to work in, with what records its changes. */
export function startRecording(): Recording {
  const base = mkdtempSync(join(tmpdir(), "drs-cut-"));
  const library = join(base, "shim.so");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  const paths = { root: join(base, "data"), log: join(base, "log"), kept: join(base, "kept") };
  const counter = join(base, "count");
  const run = join(base, "run");
  mkdirSync(paths.root);
  const settle = (): void => {
    rmSync(paths.kept, { recursive: true, force: true });
    mkdirSync(paths.kept);
    writeFileSync(paths.log, "");
    rmSync(counter, { force: true });
    writeFileSync(run, randomUUID());
  };
  settle();
  return {
    ...paths,
    environment: (cutAt) => ({
      LD_PRELOAD: library,
      DRS_TEST_CUT_ROOT: paths.root,
      DRS_TEST_CUT_LOG: paths.log,
      DRS_TEST_CUT_KEPT: paths.kept,
      DRS_TEST_CUT_COUNT: counter,
      DRS_TEST_CUT_AT: String(cutAt),
      DRS_TEST_CUT_RUN: run,
    }),
    changes: () => Number(readFileSync(counter).readBigInt64LE()),
    settle,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
