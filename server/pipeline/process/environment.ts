import { allocator } from "./memory/allocator.ts";
import { telemetryOff } from "../../embedding/onnxruntime.ts";

/** The environment of every process that opens documents: the worker's, and those that it tries single pages in. */
export function documentProcessEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...allocator, ...telemetryOff };
}

/**
 * A third of the young JavaScript heap that each thread of such a process may fill, MB. V8's own grows with the machine
 * (64 MB where it has 24 GB) and keeps what it has once taken.
 */
const maxSemiSpaceMb = 8;

/** Node's own arguments for every process that opens documents. */
export function documentProcessArguments(): string[] {
  return [...process.execArgv, `--max-semi-space-size=${maxSemiSpaceMb}`];
}
