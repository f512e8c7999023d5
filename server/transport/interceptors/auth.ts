import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import { access } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { type Caller, type KeyScope, keyScopes, requireScope } from "../../domain/caller.ts";
import { DomainError } from "../../domain/errors.ts";
import { type Admission, workKindOf } from "../admission.ts";
import { toConnectError } from "../errors.ts";
import { answerKey, recordKey } from "../exchange.ts";
import type { Rates } from "./rates.ts";

/**
 * Finds out who calls, by an API key or personal token, and in which workspace. Throws `unauthenticated` for no, an
 * unknown or a revoked one, `not_found` for a workspace that it does not open.
 */
export type Authenticate = (credential: string | undefined, workspace: string | undefined) => Promise<Caller>;

/** Who calls; undefined only in methods that are open to everyone. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** Checks a call before anything of its body is read. */
export type Gate = (context: HandlerContext) => Promise<void>;

/** `any`: whoever is known. */
type Access = "public" | "any" | KeyScope;

/**
 * Lets through only who may call the method, as its `access` option says. It runs as the gate of every protocol, ahead
 * of the interceptors: nobody without a key, and nobody beyond their rate or our room, gets us to receive a body.
 */
export function createGate(authenticate: Authenticate, { admission, rates }: GateLimits): Gate {
  return async (context) => {
    const record = context.values.get(recordKey);
    context.values.set(answerKey, context);
    try {
      const needed = accessOf(context.method);
      if (needed !== "public") {
        const header = context.requestHeader;
        const credential = credentialIn(header);
        const caller = await authenticate(credential, header.get("x-workspace")?.trim()).catch(
          async (cause: unknown) => {
            const isWrong = cause instanceof DomainError && cause.kind === "unauthenticated";
            // Without one it is no attempt.
            if (isWrong && credential !== undefined) await rates?.countFailure(record?.remoteAddress ?? "", context);
            throw cause;
          },
        );
        if (record !== undefined) record.caller = caller;
        await rates?.countCall(caller, context);
        if (needed !== "any") requireScope(caller, needed);
        context.values.set(callerKey, caller);
      }
      context.signal.throwIfAborted();
      // The signal of a call is aborted when the call has ended, however it ended.
      context.signal.addEventListener("abort", admission.enter(workKindOf(context.method)), { once: true });
    } catch (cause) {
      throw toConnectError(cause, record, context.signal);
    }
  };
}

export interface GateLimits {
  readonly admission: Admission;
  /** Undefined: nobody counts. */
  readonly rates: Rates | undefined;
}

/** Who may call a method. Throws if the contract does not say, so that no method is open by oversight. */
export function accessOf(method: DescMethod): Access {
  const rules = hasOption(method, access) ? getOption(method, access) : undefined;
  if (rules?.public === true) return "public";
  if (rules?.any === true) return "any";
  const scope = keyScopes.find((candidate) => candidate === rules?.scope);
  if (scope === undefined) throw new Error(`${method.parent.typeName}/${method.name} does not say who may call it`);
  return scope;
}

/** The API key or personal token that a request came with. */
export function credentialIn(header: Headers): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(header.get("authorization") ?? "");
  return header.get("x-api-key")?.trim() || bearer?.[1];
}
