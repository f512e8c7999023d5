import { createDrs, DrsError, type Identity, type KeyScope } from "@drs/client";
import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { server, useDrs } from "./drs.tsx";
import { pageSession } from "./page-session.ts";
import { readPreference, writePreference } from "./preferences.ts";

const key = ["me"];

/** Who is signed in; null: nobody. */
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
        // The workspace that was chosen is of somebody else's, or gone.
        writePreference("workspace", "");
        return createDrs({ server, session: pageSession }).me({ signal });
      }
    },
    staleTime: 60_000,
  });
}

/** Asks again who is signed in, and forgets what the last one has seen. */
export function useSessionChange(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
    await queries.invalidateQueries({ queryKey: key });
  };
}

/** For all views behind the sign-in. */
export const Me = createContext<Identity | undefined>(undefined);

/** Who is signed in. Only for views behind the sign-in. */
export function useMe(): Identity {
  const me = useContext(Me);
  if (me === undefined) throw new Error("a view for those who are signed in is outside of Me");
  return me;
}

/** Whether who is signed in may call what needs a scope. The service decides; this hides what it would refuse. */
export const useMay = (scope: KeyScope): boolean => useMe().scopes.includes(scope);
