import type { CallToolResult } from "@modelcontextprotocol/server";
import { DrsError } from "@drs/client";
import { clip, jsonBlock } from "./budget.ts";

/** What a caller can mend; its sentence says how. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** Gets what was not the caller's fault. */
export type Report = (cause: unknown) => void;

/**
 * The result of a tool, or an error in its place that a model can act on. Rejects only when the call was aborted: nobody
 * waits for its result.
 */
export async function answered(
  work: () => Promise<CallToolResult>,
  { signal, report }: { readonly signal: AbortSignal; readonly report: Report },
): Promise<CallToolResult> {
  try {
    return await work();
  } catch (cause) {
    signal.throwIfAborted();
    return failed(cause, report);
  }
}

function failed(cause: unknown, report: Report): CallToolResult {
  const said = saidOf(cause);
  if (said === undefined) report(cause);
  return { content: [jsonBlock(said ?? { error: "internal error; the log of drs says more" })], isError: true };
}

/** What the caller may see of a failure; undefined: nothing, it is a defect. */
function saidOf(cause: unknown): object | undefined {
  if (cause instanceof DrsError) {
    const { code, message, requestId, retryAfterMs } = cause;
    return {
      error: clip(message),
      code,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(requestId !== undefined && { requestId }),
    };
  }
  // The client's own refusals of arguments that cannot be meant.
  if (cause instanceof Refused || cause instanceof RangeError) return { error: clip(cause.message) };
  return undefined;
}
