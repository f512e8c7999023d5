import type { ServiceImpl } from "@connectrpc/connect";
import type { ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import type { Domain } from "../../domain/domain.ts";
import type { WorkspaceId } from "../../domain/ids.ts";
import { openShare } from "../../domain/shares/open.ts";
import { admittedKey } from "../access/gate.ts";
import type { LinkService } from "@drs/client/gen/drs/v1/links_pb";
import { rotateLinks } from "../../domain/shares/rotate.ts";
import { callerOf } from "./caller.ts";

const chunkBytes = 64 * 1024;

export function shareService(domain: Domain): ServiceImpl<typeof ShareService> {
  return {
    async *readShare({ id, token, width }, { signal, values }) {
      const admit = (workspaceId: WorkspaceId): void => {
        values.get(admittedKey)?.count({ link: id, workspace: workspaceId });
      };
      const content = await openShare(domain, { id, token, width, embedding: "binary", admit }, signal);
      const { contentType, fileName, size, etag } = content;
      yield { content: { contentType, fileName, size, etag } };
      for await (const bytes of await content.open()) {
        for (let start = 0; start < bytes.length; start += chunkBytes) {
          yield { chunk: bytes.subarray(start, start + chunkBytes) };
        }
      }
    },
  };
}

export function linkService(domain: Domain): ServiceImpl<typeof LinkService> {
  return {
    async rotateLinks({ revoke }, context) {
      return { rotation: await rotateLinks(domain, { caller: callerOf(context), input: { revoke } }) };
    },
  };
}
