import type { CallToolResult } from "@modelcontextprotocol/server";
import { DrsError } from "@drs/client";
import { clip, jsonBlock } from "./budget.ts";

/** An error that the caller can fix; its sentence says how. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** Receives errors that were not the caller's fault. */
export type Report = (cause: unknown) => void;

/**
 * Returns the result of a tool, or an error result that a model can act on. Rejects only if the call was aborted,
 * when nobody waits for its result.
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
  const shown = shownOf(cause);
  if (shown === undefined) report(cause);
  return { content: [jsonBlock(shown ?? { error: "internal error; the log of drs says more" })], isError: true };
}

/** The part of a failure that the caller may see; undefined for a defect. */
function shownOf(cause: unknown): object | undefined {
  if (cause instanceof DrsError) {
    const { code, message, requestId, retryAfterMs } = cause;
    return {
      error: clip(message),
      code,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(requestId !== undefined && { requestId }),
    };
  }
  // A `RangeError` is the client's own refusal of an impossible argument.
  if (cause instanceof UserError || cause instanceof RangeError) return { error: clip(cause.message) };
  return undefined;
}
