import type { ServiceImpl } from "@connectrpc/connect";
import type { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";
import type { Domain } from "../../domain/domain.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "../../domain/workspaces/keys.ts";
import { createWorkspace, listWorkspaces } from "../../domain/workspaces/workspaces.ts";
import { callerOf } from "./caller.ts";
import { keyScopes, wordsOf } from "./enums.ts";
import { keyMessage } from "./messages.ts";

export function workspaceService(domain: Domain): ServiceImpl<typeof WorkspaceService> {
  return {
    async createWorkspace({ name }, context) {
      return { workspace: await createWorkspace(domain, { caller: callerOf(context), input: { name } }) };
    },
    async listWorkspaces(_request, context) {
      const data = [...(await listWorkspaces(domain, { caller: callerOf(context) }))];
      return { total: data.length, data };
    },
    async createKey({ workspace, name, scopes, expiresInDays, requestsPerMinute, filter }, context) {
      const input = { workspace, name, scopes: wordsOf(keyScopes, scopes), expiresInDays, requestsPerMinute, filter };
      return { key: keyMessage(await createKey(domain, { caller: callerOf(context), input })) };
    },
    async listKeys({ workspace }, context) {
      const keys = await listKeys(domain, { caller: callerOf(context), input: { workspace } });
      return { total: keys.length, data: keys.map(keyMessage) };
    },
    async rotateKey({ id, overlapHours }, context) {
      const input = { id, overlapHours };
      return { key: keyMessage(await rotateKey(domain, { caller: callerOf(context), input })) };
    },
    async revokeKey({ id }, context) {
      return { key: keyMessage(await revokeKey(domain, { caller: callerOf(context), input: { id } })) };
    },
  };
}
