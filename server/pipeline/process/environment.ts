import { telemetryOff } from "../../embedding/onnxruntime.ts";

/**
 * glibc gives every thread an arena of its own to allocate from, and hardly ever gives memory back from it: with two
 * arenas a process that opens documents is half as large, at no cost that could be measured. Ignored by other allocators.
 */
const allocator = { MALLOC_ARENA_MAX: "2" };

/** The environment of every process that opens documents: the worker's, and those that it tries single pages in. */
export function documentProcessEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...allocator, ...telemetryOff };
}
