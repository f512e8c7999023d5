import { useQuery } from "@tanstack/react-query";
import { useDrs } from "../shell/drs.tsx";

/** Whether pages of a document are searchable; undefined until it is known. */
export function useSearchable(datasetId: string): boolean | undefined {
  const drs = useDrs();
  const { data } = useQuery({
    queryKey: ["items", datasetId, "searchable"],
    queryFn: async ({ signal }) =>
      (await drs.items.page(datasetId, { row: "embedding_image", limit: 1 }, { signal })).total > 0,
    staleTime: 30_000,
  });
  return data;
}
