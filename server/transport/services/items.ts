import type { ServiceImpl } from "@connectrpc/connect";
import type { ItemService } from "@drs/client/gen/drs/v1/items_pb";
import type { Domain } from "../../domain/domain.ts";
import { listItems } from "../../domain/items/list.ts";
import { baseUrlOf, callerOf } from "./caller.ts";
import { inclusions, itemRows, widthOf, wordsOf } from "./enums.ts";
import { itemMessage } from "./messages.ts";

export function itemService(domain: Domain): ServiceImpl<typeof ItemService> {
  return {
    async listItems({ datasetId, row, cols, sort, offset, limit, expiresInSeconds, include, pictureWidth }, context) {
      const wanted = row === undefined ? undefined : itemRows.fromWire(row);
      const input = {
        datasetId,
        row: wanted,
        cols,
        sort,
        offset,
        limit,
        expiresInSeconds,
        include: wordsOf(inclusions, include),
        pictureWidth: widthOf(pictureWidth),
      };
      const list = await listItems(domain, { caller: callerOf(context), input, signal: context.signal });
      return { ...list, sort: [...list.sort], data: list.data.map((item) => itemMessage(item, baseUrlOf(context))) };
    },
  };
}
