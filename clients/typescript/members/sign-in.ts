import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { MemberService, type PersonalSession as WireSession } from "../gen/drs/v1/members_pb.ts";
import { nameOf, present } from "../wire-names.ts";
import { type KeyScope, keyScopes } from "../workspaces/workspaces.ts";
import { type Member, memberOf, type MemberRole, memberRoles } from "./members.ts";

/** The caller, and the caller's permissions. */
export interface Identity {
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Null for a personal token. */
  readonly keyId: string | null;
  /** Null for an API key. */
  readonly memberId: string | null;
  readonly scopes: readonly KeyScope[];
  /** Null for an API key. */
  readonly role: MemberRole | null;
  /** Whether the organisation is the one that runs the service. */
  readonly isOperator: boolean;
  /** The device that the personal token was created for; null if there is none. */
  readonly deviceName: string | null;
  /** Name of the member or key; empty if the key has none. */
  readonly name: string;
  readonly organisationName: string;
  readonly workspaceName: string;
}

/** A personal sign-in. */
export interface PersonalSession {
  readonly member: Member;
  /** Used in place of an API key; shown only here. */
  readonly token: string;
  readonly organisationId: string;
  /** The workspace of calls that name no other. */
  readonly workspaceId: string;
}

export interface InvitationAcceptance {
  /** The invitation's token. */
  readonly token: string;
  /** The member's name; default: the name in the invitation. */
  readonly name?: string | undefined;
}

/** The contents of an invitation. */
export interface InvitationOffer {
  /** Name of the invited person. */
  readonly name: string;
  readonly role: MemberRole;
  readonly organisationName: string;
  /** Milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
}

/** A personal token, without its secret. */
export interface TokenInfo {
  readonly id: string;
  /** The device that it was created for; null if it was created when the member joined. */
  readonly deviceName: string | null;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
  /** Whether this call used it. */
  readonly isCurrent: boolean;
}

/** The personal tokens of the caller; an API key has none. */
export interface Tokens {
  /** Lists them, oldest first. */
  list(options?: RequestOptions): Promise<readonly TokenInfo[]>;
  /** Ends a token, which is rejected from now on. */
  end(id: string, options?: RequestOptions): Promise<void>;
}

export interface SignIn {
  /** Returns who the key or the personal token belongs to. */
  me(options?: RequestOptions): Promise<Identity>;
  /** Returns the contents of the invitation with that token, which stays open. Needs no key. */
  showInvitation(token: string, options?: RequestOptions): Promise<InvitationOffer>;
  /** Joins an organisation, once. Needs no key. */
  acceptInvitation(acceptance: InvitationAcceptance, options?: RequestOptions): Promise<PersonalSession>;
  readonly tokens: Tokens;
  /** Ends the personal token that this client uses. */
  signOut(options?: RequestOptions): Promise<void>;
}

export function personalSessionOf({ member, token, organisationId, workspaceId }: WireSession): PersonalSession {
  return { member: memberOf(present(member, "member")), token, organisationId, workspaceId };
}

export function createSignIn(connection: Connection): SignIn {
  const client = createClient(MemberService, connection.transport);
  return {
    async me(options) {
      const answer = await connection.call((call) => client.whoAmI({}, call), options);
      const identity = present(answer.identity, "identity");
      const { organisationId, workspaceId, keyId, memberId, scopes, role, isOperator, deviceName } = identity;
      const { name, organisationName, workspaceName } = identity;
      return {
        organisationId,
        workspaceId,
        keyId: keyId === "" ? null : keyId,
        memberId: memberId === "" ? null : memberId,
        scopes: scopes.map((scope) => nameOf(keyScopes, scope)),
        role: role === undefined ? null : nameOf(memberRoles, role),
        isOperator,
        deviceName: deviceName ?? null,
        name,
        organisationName,
        workspaceName,
      };
    },
    async showInvitation(token, options) {
      const answer = await connection.call((call) => client.showInvitation({ token }, call), options);
      const { name, role, organisationName, expiresAt } = present(answer.offer, "invitation");
      return { name, role: nameOf(memberRoles, role), organisationName, expiresAt };
    },
    async acceptInvitation({ token, name = "" }, options) {
      const answer = await connection.call((call) => client.acceptInvitation({ token, name }, call), options);
      return personalSessionOf(present(answer.session, "personal token"));
    },
    tokens: {
      async list(options) {
        const answer = await connection.call((call) => client.listTokens({}, call), options);
        return answer.data.map(({ id, deviceName, createdAt, isCurrent }) => {
          return { id, deviceName: deviceName ?? null, createdAt, isCurrent };
        });
      },
      async end(id, options) {
        await connection.call((call) => client.endToken({ id }, call), options);
      },
    },
    async signOut(options) {
      await connection.call((call) => client.signOut({}, call), options);
    },
  };
}
