import { DrsError } from "@drs/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { askToSignInAgain } from "../sign-in/sign-in-again.tsx";
import { showFailure } from "./toasts.tsx";

/** Failures that the same request may not meet again. */
const passing = new Set(["unavailable", "resource_exhausted", "deadline_exceeded", "aborted"]);
const maxTries = 3;

/**
 * What has been read, by its key. Reading is repeated where its failure may pass; the view shows what remains of it. Failed
 * changes are said in a toast, unless the mutation has `meta: { isShown: true }`. A refused session shows the sign-in,
 * and one that is not fresh enough asks for it.
 */
export function createQueries(): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof DrsError && error.code === "unauthenticated") void lookAgain();
  };
  /** The session has ended, or it was begun too long ago for what was asked of it. */
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
        retry: (tries, error) => tries < maxTries && error instanceof DrsError && passing.has(error.code),
        refetchOnWindowFocus: false,
      },
    },
  });
  return queries;
}
