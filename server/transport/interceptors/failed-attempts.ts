import type { DescMethod } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { DomainError } from "../../domain/errors.ts";
import { answerKey, recordKey } from "../http/exchange.ts";
import type { Rates } from "../limits/rates.ts";

/**
 * Counts, by address and like wrong keys, what was refused in methods that are open to everyone: there the credential
 * is in the request itself, the token of an invitation or of a share link.
 */
export function createFailedAttempts(rates: Rates | undefined, isOpen: (method: DescMethod) => boolean): Interceptor {
  return (next) => async (req) => {
    const answer = req.contextValues.get(answerKey);
    if (rates === undefined || answer === undefined || !isOpen(req.method)) return next(req);
    const remoteAddress = req.contextValues.get(recordKey)?.remoteAddress ?? "";

    /** Throws `rate_limited` if there were too many; otherwise the refusal stands. */
    const count = async (cause: unknown): Promise<void> => {
      if (cause instanceof DomainError && cause.kind === "forbidden") await rates.countFailure(remoteAddress, answer);
    };
    async function* counted<Item>(messages: AsyncIterable<Item>): AsyncGenerator<Item> {
      try {
        yield* messages;
      } catch (cause) {
        await count(cause);
        throw cause;
      }
    }
    try {
      const res = await next(req);
      return res.stream ? { ...res, message: counted(res.message) } : res;
    } catch (cause) {
      await count(cause);
      throw cause;
    }
  };
}
