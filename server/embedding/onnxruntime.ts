import { isMainThread } from "node:worker_threads";
import type * as onnxruntime from "onnxruntime-node";

export type { InferenceSession, Tensor, TensorConstructor } from "onnxruntime-node";

/** The variable by which onnxruntime turns telemetry off if it is `1`, `true` or `yes`. */
const variable = "ORT_DISABLE_TELEMETRY";

/** Environment variables for processes that load onnxruntime. */
export const telemetryOff: Readonly<Record<string, string>> = { [variable]: "1" };

/**
 * Turns telemetry off. onnxruntime 1.30 reports usage and machine data to its makers, and keeps a queue of reports in the user's
 * cache folder. It has no call to prevent this, but reads the switch from the process environment when it creates its first
 * session. This must be called in the main thread of each process before threads start, because a thread writes to its own copy
 * of `process.env`. Throws in a thread whose main thread has not called it.
 */
export function turnTelemetryOff(): void {
  // The variable is not set a second time, because other threads of the process may be reading their environment.
  if (process.env[variable] === telemetryOff[variable]) return;
  if (!isMainThread) {
    throw new Error(
      `onnxruntime is not loaded in this thread, because it would report to its makers: start the process with ${variable}=1`,
    );
  }
  process.env[variable] = telemetryOff[variable];
}

/** Loads onnxruntime with telemetry off. A lint rule forbids importing it in any other way. */
export async function loadOnnxruntime(): Promise<typeof onnxruntime> {
  turnTelemetryOff();
  return import("onnxruntime-node");
}
