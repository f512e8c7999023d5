import type { ServiceImpl } from "@connectrpc/connect";
import type { GetItemsRequest, ItemService } from "@drs/client/gen/drs/v1/items_pb";
import type { Domain } from "../../domain/domain.ts";
import { getItems, listItems } from "../../domain/items/list.ts";
import { baseUrlOf, callerOf } from "./caller.ts";
import { inclusions, itemRows, widthOf, wordsOf } from "./enums.ts";
import { itemMessage } from "./messages.ts";

export function itemService(domain: Domain): ServiceImpl<typeof ItemService> {
  return {
    async listItems({ datasetId, row, cols, sort, offset, limit, expiresInSeconds, include, pictureWidth }, context) {
      const input = {
        datasetId,
        cols,
        sort,
        offset,
        limit,
        ...choiceOf({ row, expiresInSeconds, include, pictureWidth }),
      };
      const list = await listItems(domain, { caller: callerOf(context), input, signal: context.signal });
      return { ...list, sort: [...list.sort], data: list.data.map((item) => itemMessage(item, baseUrlOf(context))) };
    },
    async getItems({ wanted, row, offset, limit, expiresInSeconds, include, pictureWidth }, context) {
      const input = {
        wanted,
        offset,
        limit,
        ...choiceOf({ row, expiresInSeconds, include, pictureWidth }),
      };
      const { total, data } = await getItems(domain, { caller: callerOf(context), input, signal: context.signal });
      return { total, data: data.map((item) => itemMessage(item, baseUrlOf(context))) };
    },
  };
}

/** The requested rendition and contents of each item. */
function choiceOf({
  row,
  expiresInSeconds,
  include,
  pictureWidth,
}: Pick<GetItemsRequest, "row" | "expiresInSeconds" | "include" | "pictureWidth">) {
  return {
    row: row === undefined ? undefined : itemRows.fromWire(row),
    expiresInSeconds,
    include: wordsOf(inclusions, include),
    pictureWidth: widthOf(pictureWidth),
  };
}
