import type { Exchange } from "../http/exchange.ts";
import type { Rates } from "./rates.ts";

/** Counts an attempt to get in with a wrong token or key. Throws `rate_limited` if there were too many from there. */
export async function countFailedAttempt({ response, record }: Exchange, rates: Rates | undefined): Promise<void> {
  const responseHeader = new Headers();
  await rates?.countFailure(record.remoteAddress, { responseHeader }).catch((cause: unknown) => {
    for (const [name, value] of responseHeader) response.setHeader(name, value);
    throw cause;
  });
}
