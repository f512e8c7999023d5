import type { ServiceImpl } from "@connectrpc/connect";
import type { LinkService } from "@drs/client/gen/drs/v1/links_pb";
import type { Domain } from "../../domain/domain.ts";
import { rotateLinks } from "../../domain/shares/rotate.ts";
import { callerOf } from "./caller.ts";

export function linkService(domain: Domain): ServiceImpl<typeof LinkService> {
  return {
    async rotateLinks({ revoke }, context) {
      return { rotation: await rotateLinks(domain, { caller: callerOf(context), input: { revoke } }) };
    },
  };
}
