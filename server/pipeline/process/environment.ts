import { allocator } from "./memory/allocator.ts";
import { telemetryOff } from "../../embedding/onnxruntime.ts";

/** The environment of every process that opens documents: workers and processes for isolated retries. */
export function documentProcessEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...allocator, ...telemetryOff };
}

/**
 * A third of the young JavaScript heap of each thread of such a process, in MB. V8's default grows with the machine (64 MB with
 * 24 GB) and never shrinks.
 */
const maxSemiSpaceMb = 8;

/** Node's arguments for every process that opens documents. */
export function documentProcessArguments(): string[] {
  return [...process.execArgv, `--max-semi-space-size=${maxSemiSpaceMb}`];
}
