import { DrsError } from "@drs/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { showFailure } from "./toasts.tsx";

/** Codes of failures after which reading is retried. */
const transient = new Set(["unavailable", "resource_exhausted", "deadline_exceeded", "aborted"]);
const maxTries = 3;

/**
 * Creates the cache of data read from the service. Reading is retried after transient failures; the view shows other ones. A toast
 * shows failed changes, unless the mutation has `meta: { isShown: true }`. A refused session shows the sign-in, and one that is
 * not fresh enough asks the person to sign in again.
 */
export function createQueries(askToSignInAgain: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof DrsError && error.code === "unauthenticated") void lookAgain();
  };
  /** Called if the session has ended, or is too old for the requested action. */
  async function lookAgain(): Promise<void> {
    await queries.refetchQueries({ queryKey: ["me"] });
    const me = queries.getQueryData(["me"]);
    if (me !== null && me !== undefined) askToSignInAgain();
  }
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError(error, _variables, _context, mutation) {
        onError(error);
        if (mutation.meta?.["isShown"] !== true) showFailure(error);
      },
    }),
    defaultOptions: {
      queries: {
        retry: (tries, error) => tries < maxTries && error instanceof DrsError && transient.has(error.code),
        refetchOnWindowFocus: false,
      },
    },
  });
  return queries;
}
