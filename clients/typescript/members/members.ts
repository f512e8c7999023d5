import { createClient } from "@connectrpc/connect";
import type { Connection, CreateOptions, RequestOptions } from "../connection.ts";
import { createOnce } from "../creation.ts";
import { MemberRole as WireRole } from "../gen/drs/v1/enums_pb.ts";
import {
  type Invitation as WireInvitation,
  type Member as WireMember,
  MemberService,
} from "../gen/drs/v1/members_pb.ts";
import { nameOf, present, valueOf, type WireNames } from "../wire-names.ts";

/** The role of a member, from full control down to reading and searching. */
export type MemberRole = "owner" | "admin" | "member" | "viewer";

/** A person in an organisation. Times are milliseconds since the epoch, UTC. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: MemberRole;
  /** When the member joined. */
  readonly createdAt: number;
  /** Exact to a minute; null if never used. */
  readonly lastUsedAt: number | null;
}

/** An open invitation without its token. Times are milliseconds since the epoch, UTC. */
export interface Invitation {
  readonly id: string;
  /** Name of the invited person. */
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The owner of this verified address can also join by signing in with the provider; null if only the token admits. */
  readonly email: string | null;
}

export interface NewInvitation extends Invitation {
  /** The token admits one person, once; it is shown only here. */
  readonly token: string;
  /**
   * Address at which the person joins in a browser, with the token in the fragment, if the console is enabled; null
   * from older services.
   */
  readonly joinUrl: string | null;
}

export interface InvitationRequest {
  /** A name or an e-mail address, for the list only. */
  readonly name: string;
  /** Only owners may invite owners. */
  readonly role: MemberRole;
  /** Up to 720; default 72. */
  readonly expiresInHours?: number | undefined;
  /** The owner of this verified address can also join by signing in with the provider, without the token. */
  readonly email?: string | undefined;
}

export interface Members {
  list(options?: RequestOptions): Promise<readonly Member[]>;
  invite(invitation: InvitationRequest, options?: CreateOptions): Promise<NewInvitation>;
  /** Returns the open invitations, oldest first. */
  invitations(options?: RequestOptions): Promise<readonly Invitation[]>;
  revokeInvitation(id: string, options?: RequestOptions): Promise<void>;
  /** Changes a member's role. Only owners may create or change owners; the last owner keeps the role. */
  setRole(id: string, role: MemberRole, options?: RequestOptions): Promise<Member>;
  /** Removes a member, whose personal tokens are rejected from now on. */
  remove(id: string, options?: RequestOptions): Promise<void>;
}

export const memberRoles: WireNames<MemberRole, WireRole> = [
  ["owner", WireRole.OWNER],
  ["admin", WireRole.ADMIN],
  ["member", WireRole.MEMBER],
  ["viewer", WireRole.VIEWER],
];

export function createMembers(connection: Connection): Members {
  const client = createClient(MemberService, connection.transport);
  return {
    async list(options) {
      const answer = await connection.call((call) => client.listMembers({}, call), options);
      return answer.data.map(memberOf);
    },
    async invite({ name, role, expiresInHours, email }, options) {
      const request = { name, role: valueOf(memberRoles, role), expiresInHours, email };
      const answer = await createOnce(connection, (call) => client.inviteMember(request, call), options);
      const created = present(answer.invitation, "invitation");
      return {
        ...invitationOf(created),
        token: present(created.token, "invitation's token"),
        joinUrl: created.joinUrl ?? null,
      };
    },
    async invitations(options) {
      const answer = await connection.call((call) => client.listInvitations({}, call), options);
      return answer.data.map(invitationOf);
    },
    async revokeInvitation(id, options) {
      await connection.call((call) => client.revokeInvitation({ id }, call), options);
    },
    async setRole(id, role, options) {
      const request = { id, role: valueOf(memberRoles, role) };
      const answer = await connection.call((call) => client.updateMember(request, call), options);
      return memberOf(present(answer.member, "member"));
    },
    async remove(id, options) {
      await connection.call((call) => client.removeMember({ id }, call), options);
    },
  };
}

export function memberOf({ id, name, role, createdAt, lastUsedAt }: WireMember): Member {
  return { id, name, role: nameOf(memberRoles, role), createdAt, lastUsedAt: lastUsedAt ?? null };
}

function invitationOf({ id, name, role, createdAt, expiresAt, email }: WireInvitation): Invitation {
  return { id, name, role: nameOf(memberRoles, role), createdAt, expiresAt, email: email ?? null };
}
