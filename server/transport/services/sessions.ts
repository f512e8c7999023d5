import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { SessionSchema, SessionService } from "@drs/client/gen/drs/v1/sessions_pb";
import type { Authenticate } from "../../domain/authenticate.ts";
import type { Domain } from "../../domain/domain.ts";
import type { SessionId } from "../../domain/ids.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { endSession, listSessions } from "../../domain/sessions/sessions.ts";
import { createSignInCode, signIn } from "../../domain/sessions/sign-in.ts";
import { noSessionCookie, requireConsole, sessionCookie } from "../access/session-cookie.ts";
import { loginPath } from "../endpoints/sign-in.ts";
import { baseUrlOf, callerOf } from "./caller.ts";
import { present } from "./messages.ts";

export function sessionService(domain: Domain, authenticate: Authenticate): ServiceImpl<typeof SessionService> {
  return {
    async signIn({ credential }, context) {
      requireConsole(context.requestHeader, baseUrlOf(context));
      const agent = context.requestHeader.get("user-agent") ?? "";
      const { session, secret } = await signIn(domain, { authenticate, input: { credential, agent } });
      const cookie = sessionCookie(secret, session.expiresAt, baseUrlOf(context));
      context.responseHeader.append("set-cookie", cookie);
      return { session: sessionMessage(session, session.id) };
    },
    getSignInWays() {
      const { providerSignIn } = domain;
      if (providerSignIn === undefined) return { ways: {} };
      const { providerName, signUp } = providerSignIn;
      return { ways: { oidc: { name: providerName, path: loginPath }, signUp } };
    },
    async listSessions(_request, context) {
      const caller = callerOf(context);
      const sessions = await listSessions(domain, { caller });
      return { total: sessions.length, data: sessions.map((session) => sessionMessage(session, caller.sessionId)) };
    },
    async endSession({ id }, context) {
      const caller = callerOf(context);
      await endSession(domain, { caller, input: { id } });
      if (id === caller.sessionId) forgetSession(context);
      return {};
    },
    async createSignInCode(_request, context) {
      const { code, expiresAt } = await createSignInCode(domain, { caller: callerOf(context) });
      return { code: { code, expiresAt, uri: `${baseUrlOf(context)}/#code=${code}` } };
    },
  };
}

/** Lets the browser forget the session that the request came with. */
export function forgetSession(context: HandlerContext): void {
  context.responseHeader.append("set-cookie", noSessionCookie(baseUrlOf(context)));
}

function sessionMessage(
  { id, agent, createdAt, lastUsedAt, expiresAt }: Session,
  current: SessionId | undefined,
): MessageInitShape<typeof SessionSchema> {
  return { id, agent, createdAt, ...present({ lastUsedAt }), expiresAt, isCurrent: id === current };
}
