import { telemetryOff } from "../../embedding/onnxruntime.ts";

/** The environment of every process that opens documents: workers and processes for isolated retries. */
export function documentProcessEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...allocator, ...telemetryOff };
}

/**
 * A third of the young JavaScript heap of each thread in these processes, in MB. V8's default grows with the machine (64 MB with
 * 24 GB) and never shrinks.
 */
const maxSemiSpaceMb = 8;

/** Node's arguments for every process that opens documents. */
export function documentProcessArguments(): string[] {
  return [...process.execArgv, `--max-semi-space-size=${maxSemiSpaceMb}`];
}

/**
 * Environment of a worker process with settings of glibc's allocator, which hardly returns memory by itself. Other allocators
 * ignore them.
 *
 * - By default it gives every thread an arena of its own. With two arenas the worker's memory is half as large, at no
 *   measurable cost.
 * - By default it raises the size from which a block is mapped separately, up to 32 MB, whenever such a block is freed.
 *   Pictures and columns of vectors are then placed between small blocks that stay, and their space is lost when they are
 *   freed. Setting the size fixes it; the trim threshold must then be set as well.
 */
export const allocator = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(16 * 2 ** 20),
};
