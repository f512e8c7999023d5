import { DrsError } from "@drs/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { showFailure } from "./toasts.tsx";

/** Failures that the same request may not meet again. */
const passing = new Set(["unavailable", "resource_exhausted", "deadline_exceeded", "aborted"]);
const maxTries = 3;

/**
 * What has been read, by its key. Reading is repeated where its failure may pass; the view shows what remains of it. Failed
 * changes are said in a toast, unless the mutation has `meta: { isShown: true }`. A refused session shows the sign-in.
 */
export function createQueries(): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof DrsError && error.code === "unauthenticated") {
      queries.setQueryData(["me"], null);
    }
  };
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
