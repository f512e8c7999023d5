import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type {
  SearchOutcomeSchema,
  SearchRequest,
  SearchResponseSchema,
  SearchService,
} from "@drs/client/gen/drs/v1/search_pb";
import type { Domain } from "../../domain/domain.ts";
import { maxContentBytes } from "../../domain/items/contents.ts";
import { type Found, search, type SearchInput } from "../../ranking/search.ts";
import { countMoreKey } from "../access/gate.ts";
import { codeName, publicError } from "../errors.ts";
import { recordKey } from "../http/exchange.ts";
import { baseUrlOf, callerOf } from "./caller.ts";
import { inclusions, itemRows, widthOf, wordsOf } from "./enums.ts";
import { foundMessage } from "./messages.ts";

/** Concurrent searches of one call: as many as the server runs at a time. */
const searchesAtOnce = 4;

export function searchService(domain: Domain): ServiceImpl<typeof SearchService> {
  async function answer(
    input: SearchInput,
    context: HandlerContext,
  ): Promise<MessageInitShape<typeof SearchResponseSchema>> {
    const found = await search(domain, { caller: callerOf(context), input, signal: context.signal });
    return answerOf(found, baseUrlOf(context));
  }

  async function outcome(
    input: SearchInput,
    context: HandlerContext,
  ): Promise<MessageInitShape<typeof SearchOutcomeSchema>> {
    try {
      const { $typeName: _, ...answered } = await answer(input, context);
      return { ...answered, success: true };
    } catch (cause) {
      context.signal.throwIfAborted();
      const { rawMessage: error, code } = publicError(cause, context.values.get(recordKey), context.signal);
      return { success: false, error, code: codeName(code) };
    }
  }

  return {
    search: (request, context) => answer(inputOf(request), context),
    async searchMany({ searches }, context) {
      // Each search counts as a request of its own.
      if (searches.length > 1) await context.values.get(countMoreKey)(searches.length - 1);
      const share = Math.floor(maxContentBytes / searches.length);
      const left = searches.entries();
      const data: MessageInitShape<typeof SearchOutcomeSchema>[] = [];
      const work = async (): Promise<void> => {
        for (const [index, request] of left) {
          data[index] = await outcome({ ...inputOf(request), maxContentBytes: share }, context);
        }
      };
      await Promise.all(Array.from({ length: searchesAtOnce }, work));
      return { total: data.length, data };
    },
  };
}

function inputOf(request: SearchRequest): SearchInput {
  const { query, datasetIds, filter, limit, row, expiresInSeconds, include, pictureWidth } = request;
  const { fileExt: fileExts, minScore, neighbours = 0, explain = false } = request;
  return {
    text: query?.text ?? "",
    imageUrl: query?.imageUrl ?? "",
    datasetIds,
    filter,
    fileExts,
    limit,
    row: row === undefined ? undefined : itemRows.fromWire(row),
    expiresInSeconds,
    include: wordsOf(inclusions, include),
    pictureWidth: widthOf(pictureWidth),
    minScore,
    neighbours,
    explain,
  };
}

function answerOf({ items, incomplete }: Found, baseUrl: string): MessageInitShape<typeof SearchResponseSchema> {
  return {
    total: items.length,
    data: items.map((item) => foundMessage(item, baseUrl)),
    ...(incomplete.length > 0 && { incomplete: true, incompleteDatasetIds: [...incomplete] }),
  };
}
