import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { InvitationSchema, MemberService } from "@drs/client/gen/drs/v1/members_pb";
import type { Domain } from "../../domain/domain.ts";
import {
  acceptInvitation,
  inviteMember,
  listInvitations,
  revokeInvitation,
  showInvitation,
} from "../../domain/members/invitations.ts";
import type { Invitation, MemberRole } from "../../domain/members/member.ts";
import {
  callerNames,
  currentToken,
  deviceOf,
  endToken,
  listMembers,
  listTokens,
  removeMember,
  signOut,
  updateMember,
} from "../../domain/members/members.ts";
import { baseUrlOf, callerOf } from "./caller.ts";
import { keyScopes, memberRoles } from "./enums.ts";
import { memberMessage, personalSessionMessage, present } from "./messages.ts";
import { forgetSession } from "./sessions.ts";

export function memberService(domain: Domain): ServiceImpl<typeof MemberService> {
  return {
    async listMembers(_request, context) {
      const members = await listMembers(domain, { caller: callerOf(context) });
      return { total: members.length, data: members.map(memberMessage) };
    },
    async inviteMember({ name, role, expiresInHours, email }, context) {
      const input = { name, role: roleOf(role), expiresInHours, email };
      const invitation = await inviteMember(domain, { caller: callerOf(context), input });
      const joinUrl = `${baseUrlOf(context)}/join#${invitation.token}`;
      return { invitation: { ...invitationMessage(invitation), joinUrl } };
    },
    async listInvitations(_request, context) {
      const invitations = await listInvitations(domain, { caller: callerOf(context) });
      return { total: invitations.length, data: invitations.map(invitationMessage) };
    },
    async revokeInvitation({ id }, context) {
      await revokeInvitation(domain, { caller: callerOf(context), input: { id } });
      return {};
    },
    async showInvitation({ token }) {
      const { role, ...offer } = await showInvitation(domain, { input: { token } });
      return { offer: { ...offer, role: memberRoles.toWire(role) } };
    },
    async acceptInvitation({ token, name }) {
      return { session: personalSessionMessage(await acceptInvitation(domain, { input: { token, name } })) };
    },
    async updateMember({ id, role }, context) {
      const input = { id, role: roleOf(role) };
      return { member: memberMessage(await updateMember(domain, { caller: callerOf(context), input })) };
    },
    async removeMember({ id }, context) {
      await removeMember(domain, { caller: callerOf(context), input: { id } });
      return {};
    },
    async whoAmI(_request, context) {
      const caller = callerOf(context);
      const { organisationId, workspaceId, actor, scopes, isOperator } = caller;
      const [deviceName, names] = await Promise.all([deviceOf(domain, { caller }), callerNames(domain, { caller })]);
      const who =
        actor.kind === "key"
          ? { keyId: actor.keyId }
          : { memberId: actor.memberId, role: memberRoles.toWire(actor.role) };
      const granted = [...scopes].map((scope) => keyScopes.toWire(scope));
      return {
        identity: {
          organisationId,
          workspaceId,
          scopes: granted,
          isOperator,
          ...names,
          ...present({ deviceName }),
          ...who,
        },
      };
    },
    async listTokens(_request, context) {
      const caller = callerOf(context);
      const current = currentToken(caller);
      const tokens = await listTokens(domain, { caller });
      const data = tokens.map(({ id, name: deviceName, createdAt }) => {
        return { id, createdAt, isCurrent: id === current, ...present({ deviceName }) };
      });
      return { total: data.length, data };
    },
    async endToken({ id }, context) {
      await endToken(domain, { caller: callerOf(context), input: { id } });
      return {};
    },
    async signOut(_request, context) {
      const caller = callerOf(context);
      await signOut(domain, { caller });
      if (caller.sessionId !== undefined) forgetSession(context);
      return {};
    },
  };
}

/** Validation has already refused unknown roles. */
function roleOf(value: number): MemberRole {
  const role = memberRoles.fromWire(value);
  if (role === undefined) throw new Error(`${value} is not a role`);
  return role;
}

function invitationMessage(invitation: Invitation & { token?: string }): MessageInitShape<typeof InvitationSchema> {
  const { id, name, role, createdAt, expiresAt, token, email } = invitation;
  return { id, name, role: memberRoles.toWire(role), createdAt, expiresAt, ...present({ token, email }) };
}
