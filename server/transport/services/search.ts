import type { ServiceImpl } from "@connectrpc/connect";
import type { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import type { Domain } from "../../domain/domain.ts";
import { search } from "../../domain/search/search.ts";
import { baseUrlOf, callerOf } from "./caller.ts";
import { itemRows } from "./enums.ts";
import { itemMessage } from "./messages.ts";

export function searchService(domain: Domain): ServiceImpl<typeof SearchService> {
  return {
    async search({ query, datasetIds, filter, limit, row, expiresInSeconds }, context) {
      const input = {
        text: query?.text ?? "",
        imageUrl: query?.imageUrl ?? "",
        datasetIds,
        filter,
        limit,
        row: row === undefined ? undefined : itemRows.fromWire(row),
        expiresInSeconds,
      };
      const { items, incomplete } = await search(domain, { caller: callerOf(context), input, signal: context.signal });
      return {
        total: items.length,
        data: items.map((item) => itemMessage(item, baseUrlOf(context))),
        ...(incomplete.length > 0 && { incomplete: true, incompleteDatasetIds: [...incomplete] }),
      };
    },
  };
}
