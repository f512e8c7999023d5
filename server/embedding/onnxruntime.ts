import { isMainThread } from "node:worker_threads";
import type * as onnxruntime from "onnxruntime-node";

export type { InferenceSession, Tensor, TensorConstructor } from "onnxruntime-node";

/** onnxruntime's name for the switch. It counts as set with `1`, `true` or `yes`. */
const variable = "ORT_DISABLE_TELEMETRY";

/** For the environment of processes that are to load onnxruntime. */
export const telemetryOff: Readonly<Record<string, string>> = { [variable]: "1" };

/**
 * onnxruntime 1.30 reports use and machine to its makers, and keeps a queue of it in the cache folder of the user. It
 * reads the switch when it makes its first session, from the environment of the process; it offers no call for it. So
 * this is called in the main thread of each process before threads start: what a thread writes to `process.env` stays
 * in its own copy. Throws in a thread whose main thread has not called it.
 */
export function turnTelemetryOff(): void {
  // Not written twice: other threads of the process may be reading their environment.
  if (process.env[variable] === telemetryOff[variable]) return;
  if (!isMainThread) {
    throw new Error(
      `onnxruntime is not loaded in this thread, because it would report to its makers: start the process with ${variable}=1`,
    );
  }
  process.env[variable] = telemetryOff[variable];
}

/** The only way to onnxruntime, so that it is never loaded with its telemetry on; a lint rule refuses others. */
export async function loadOnnxruntime(): Promise<typeof onnxruntime> {
  turnTelemetryOff();
  return import("onnxruntime-node");
}
