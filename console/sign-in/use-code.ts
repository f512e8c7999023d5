import { useQuery } from "@tanstack/react-query";
import { useDrs } from "../shell/drs.tsx";

export type CodeState = "none" | "pending" | "accepted" | "refused";

/** Signs this browser in with a single-use code, once. */
export function useCode(code: string | undefined): CodeState {
  const drs = useDrs();
  const { isPending, isError } = useQuery({
    queryKey: ["sign-in", code],
    queryFn: async () => drs.sessions.begin(code ?? ""),
    enabled: code !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (code === undefined) return "none";
  if (isPending) return "pending";
  return isError ? "refused" : "accepted";
}
