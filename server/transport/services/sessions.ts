import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { SessionSchema, SessionService } from "@drs/client/gen/drs/v1/sessions_pb";
import type { Authenticate } from "../../domain/authenticate.ts";
import type { Domain } from "../../domain/domain.ts";
import { invalid, unavailable, unprocessable } from "../../domain/errors.ts";
import type { SessionId } from "../../domain/ids.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { createSignInCode, endSession, listSessions, showSignIn, signIn } from "../../domain/sessions/sessions.ts";
import { linkedMember, listIdentities, unlinkIdentities } from "../../domain/sign-in/link.ts";
import { SignInRefusal } from "../../domain/sign-in/refusal.ts";
import { attemptCookie, noSessionCookie, requireConsole, sessionCookie } from "../access/session-cookie.ts";
import { callbackPath, loginPath } from "../endpoints/sign-in.ts";
import { baseUrlOf, callerOf, callersNetwork } from "./caller.ts";
import { personalSessionMessage, present } from "./messages.ts";
import type { DeviceService } from "@drs/client/gen/drs/v1/devices_pb";
import { pollIntervalMs } from "../../domain/devices/device.ts";
import { answerDevice, getDevice, pollDevice, startDevice } from "../../domain/devices/devices.ts";

export function sessionService(
  domain: Domain,
  authenticate: Authenticate,
  features: ServerFeatures,
): ServiceImpl<typeof SessionService> {
  return {
    async signIn({ credential, dryRun }, context) {
      requireConsole(context.requestHeader, baseUrlOf(context));
      const offer = await showSignIn(domain, { authenticate, input: { credential } });
      const holder = { holderName: offer.name, organisationName: offer.organisationName };
      if (dryRun) return { session: holder };
      const agent = context.requestHeader.get("user-agent") ?? "";
      const { session, secret, pageSecret } = await signIn(domain, { authenticate, input: { credential, agent } });
      const cookie = sessionCookie(secret, session.expiresAt, baseUrlOf(context));
      context.responseHeader.append("set-cookie", cookie);
      return { session: { ...sessionMessage(session, session.id), pageSecret, ...holder } };
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
    async listIdentities(_request, context) {
      const identities = await listIdentities(domain, { caller: callerOf(context) });
      const data = identities.map(({ issuer, createdAt }) => ({ issuer, createdAt }));
      return { total: data.length, data };
    },
    async linkIdentity(_request, context) {
      const baseUrl = baseUrlOf(context);
      requireConsole(context.requestHeader, baseUrl);
      const link = linkedMember(callerOf(context));
      if (domain.providerSignIn === undefined) throw invalid("this service has no provider to sign in with");
      const { address, attempt, expiresAt } = await begun(
        domain.providerSignIn.begin({ redirectUri: `${baseUrl}${callbackPath}`, returnTo: accountPath, link }),
      );
      context.responseHeader.append("set-cookie", attemptCookie(attempt, expiresAt, baseUrl));
      return { link: { address } };
    },
    async unlinkIdentities(_request, context) {
      await unlinkIdentities(domain, { caller: callerOf(context) });
      return {};
    },
    async createSignInCode(_request, context) {
      requirePages(features);
      const { code, expiresAt } = await createSignInCode(domain, { caller: callerOf(context) });
      return { code: { code, expiresAt, uri: `${baseUrlOf(context)}/#code=${code}` } };
    },
  };
}

/** The page of the console with the sign-in methods of a member. */
const accountPath = "/account";

/** Reports a sign-in that could not be started like any other failure of a call. */
async function begun<Result>(beginning: Promise<Result>): Promise<Result> {
  try {
    return await beginning;
  } catch (cause) {
    throw cause instanceof SignInRefusal ? unavailable(cause.message, { cause }) : cause;
  }
}

/** Makes the browser forget the session that the request came with. */
export function forgetSession(context: HandlerContext): void {
  context.responseHeader.append("set-cookie", noSessionCookie(baseUrlOf(context)));
}

function sessionMessage(
  { id, agent, createdAt, lastUsedAt, expiresAt }: Session,
  current: SessionId | undefined,
): MessageInitShape<typeof SessionSchema> {
  return { id, agent, createdAt, ...present({ lastUsedAt }), expiresAt, isCurrent: id === current };
}

export function deviceService(domain: Domain, features: ServerFeatures): ServiceImpl<typeof DeviceService> {
  return {
    async startDevice({ name }, context) {
      // A device is approved in the console.
      requirePages(features);
      const { deviceCode, userCode, expiresAt } = await startDevice(domain, { name, network: callersNetwork(context) });
      const verificationUri = `${baseUrlOf(context)}/device`;
      const verificationUriComplete = `${verificationUri}?code=${userCode}`;
      const intervalSeconds = pollIntervalMs / 1000;
      return {
        authorization: { deviceCode, userCode, verificationUri, verificationUriComplete, expiresAt, intervalSeconds },
      };
    },
    async pollDevice({ deviceCode }) {
      const joined = await pollDevice(domain, { input: { deviceCode } });
      return { outcome: joined === undefined ? {} : { session: personalSessionMessage(joined) } };
    },
    async getDevice({ userCode: typed }) {
      const { userCode, name, createdAt, expiresAt } = await getDevice(domain, { userCode: typed });
      return { device: { userCode, name, createdAt, expiresAt } };
    },
    async approveDevice({ userCode }, context) {
      await answerDevice(domain, { caller: callerOf(context), input: { userCode, answer: "approved" } });
      return {};
    },
    async denyDevice({ userCode }, context) {
      await answerDevice(domain, { caller: callerOf(context), input: { userCode, answer: "denied" } });
      return {};
    },
  };
}

/** Features of the server besides its services. */
export interface ServerFeatures {
  readonly hasConsole: boolean;
}

/** Throws `unprocessable` if the call would lead people to the console, and there is none. */
function requirePages({ hasConsole }: ServerFeatures): void {
  if (hasConsole) return;
  throw unprocessable(
    "this server has no web console, because it runs with --console off; sign in with a token or an API key",
  );
}
