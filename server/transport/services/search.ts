import type { ServiceImpl } from "@connectrpc/connect";
import type { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import type { Domain } from "../../domain/domain.ts";
import { search } from "../../domain/search/search.ts";
import { baseUrlOf, callerOf } from "./caller.ts";
import { inclusions, itemRows, widthOf, wordsOf } from "./enums.ts";
import { foundMessage } from "./messages.ts";

export function searchService(domain: Domain): ServiceImpl<typeof SearchService> {
  return {
    async search(request, context) {
      const {
        query,
        datasetIds,
        filter,
        limit,
        row,
        expiresInSeconds,
        include,
        pictureWidth,
        minScore,
        neighbours = 0,
        explain = false,
      } = request;
      const input = {
        text: query?.text ?? "",
        imageUrl: query?.imageUrl ?? "",
        datasetIds,
        filter,
        limit,
        row: row === undefined ? undefined : itemRows.fromWire(row),
        expiresInSeconds,
        include: wordsOf(inclusions, include),
        pictureWidth: widthOf(pictureWidth),
        minScore,
        neighbours,
        explain,
      };
      const { items, incomplete } = await search(domain, { caller: callerOf(context), input, signal: context.signal });
      return {
        total: items.length,
        data: items.map((item) => foundMessage(item, baseUrlOf(context))),
        ...(incomplete.length > 0 && { incomplete: true, incompleteDatasetIds: [...incomplete] }),
      };
    },
  };
}
