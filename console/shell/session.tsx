import { createDrs, DrsError, type Identity, type KeyScope } from "@drs/client";
import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { server, useDrs } from "./drs.tsx";
import { pageSession } from "./page-session.ts";
import { readPreference, writePreference } from "./preferences.ts";

const key = ["me"];

/** The signed-in member or key; null if nobody is signed in. */
export function useSession(): UseQueryResult<Identity | null> {
  const drs = useDrs();
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      try {
        return await drs.me({ signal });
      } catch (cause) {
        if (!(cause instanceof DrsError)) throw cause;
        if (cause.code === "unauthenticated") return null;
        if (cause.code !== "not_found" || readPreference("workspace") === "") throw cause;
        // The chosen workspace belongs to somebody else, or is gone.
        writePreference("workspace", "");
        return createDrs({ server, session: pageSession }).me({ signal });
      }
    },
    staleTime: 60_000,
  });
}

/** Reads again who is signed in, and forgets the data of the previous session. */
export function useSessionChange(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
    await queries.invalidateQueries({ queryKey: key });
  };
}

/** Provides the signed-in member or key to all views behind the sign-in. */
export const Me = createContext<Identity | undefined>(undefined);

/** The signed-in member or key. Only for views behind the sign-in. */
export function useMe(): Identity {
  const me = useContext(Me);
  if (me === undefined) throw new Error("a view for those who are signed in is outside of Me");
  return me;
}

/** Whether the signed-in member or key has a scope. The service decides; this hides actions that it would refuse. */
export const useMay = (scope: KeyScope): boolean => useMe().scopes.includes(scope);
