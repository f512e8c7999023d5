import type { ApiKey, Member, Workspace } from "@drs/client";
import { useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { useDrs } from "../shell/drs.tsx";

export function useWorkspaces(): UseQueryOptions<readonly Workspace[]> {
  const drs = useDrs();
  return {
    queryKey: ["workspaces"],
    queryFn: async ({ signal }) => drs.workspaces.list({ signal }),
  };
}

export function useMembers(): UseQueryOptions<readonly Member[]> {
  const drs = useDrs();
  return { queryKey: ["members"], queryFn: async ({ signal }) => drs.members.list({ signal }) };
}

export function useKeys(): UseQueryOptions<readonly ApiKey[]> {
  const drs = useDrs();
  return { queryKey: ["keys"], queryFn: async ({ signal }) => drs.keys.list({}, { signal }) };
}

/** Returns the name of a workspace by its id, or the id until the name is known. */
export function useWorkspaceName(): (id: string) => string {
  const { data = [] } = useQuery(useWorkspaces());
  return (id) => data.find((workspace) => workspace.id === id)?.name ?? id;
}
