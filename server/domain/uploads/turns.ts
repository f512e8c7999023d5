import type { UploadKey } from "../ids.ts";
import { orAborted } from "../or-aborted.ts";

/** Ends of sessions that are under way. */
export interface UploadTurns {
  /**
   * Does the work after all other work on this session that came before. The work goes on when its caller goes away:
   * putting a large document together takes longer than some connections last, and the caller's next try finds it done.
   * Work whose caller is gone before its turn comes is not begun; a failure after the caller is gone is thrown at the next
   * try. Throws what the work throws, and the signal's reason.
   */
  take<Result>(key: UploadKey, signal: AbortSignal, work: (closing: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Breaks off what is at work; resolves when nothing is. */
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
