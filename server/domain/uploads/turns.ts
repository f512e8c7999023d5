import type { UploadKey } from "../ids.ts";
import { orAborted } from "../or-aborted.ts";

/** Serialises the ends of each upload session. */
export interface UploadTurns {
  /**
   * Runs the work after all earlier work on this session. The work continues when its caller disconnects: assembling a
   * large document takes longer than some connections last, and the caller's next attempt finds it done. If the
   * caller is gone before its turn comes, the work is not begun; if the work fails after the caller is gone, the
   * next attempt throws the error. Throws the work's errors and the signal's reason.
   */
  take<Result>(key: UploadKey, signal: AbortSignal, work: (closing: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Aborts the running work; resolves when it has ended. */
  close(): Promise<void>;
}

export function createUploadTurns(): UploadTurns {
  const last = new Map<UploadKey, Promise<void>>();
  const closing = new AbortController();
  return {
    async take(key, signal, work) {
      const before = last.get(key) ?? Promise.resolve();
      const result = before.then(() => {
        signal.throwIfAborted();
        closing.signal.throwIfAborted();
        return work(closing.signal);
      });
      const settled = result.then(
        () => undefined,
        () => undefined,
      );
      last.set(key, settled);
      void settled.then(() => {
        if (last.get(key) === settled) last.delete(key);
      });
      return orAborted(result, signal);
    },
    async close() {
      closing.abort(new Error("the server is shutting down"));
      await Promise.all(last.values());
    },
  };
}
