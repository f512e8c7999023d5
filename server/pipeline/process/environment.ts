import { allocator } from "./allocator.ts";
import { telemetryOff } from "../../embedding/onnxruntime.ts";

/** The environment of every process that opens documents: the worker's, and those that it tries single pages in. */
export function documentProcessEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...allocator, ...telemetryOff };
}
