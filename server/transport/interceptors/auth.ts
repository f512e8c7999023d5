import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import { access } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { type Caller, type KeyScope, keyScopes, requireScope } from "../../domain/caller.ts";
import { toConnectError } from "../errors.ts";
import { recordKey } from "../exchange.ts";

/** Finds out who calls. Throws `unauthenticated` for no, an unknown or a revoked key. */
export type Authenticate = (key: string | undefined) => Promise<Caller>;

/** Who calls; undefined only in methods that are open to everyone. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** Checks a call before anything of its body is read. */
export type Gate = (context: HandlerContext) => Promise<void>;

type Access = "public" | KeyScope;

/**
 * Lets through only who may call the method, as its `access` option says. It runs as the gate of every protocol, ahead
 * of the interceptors: nobody without a key gets us to receive and parse a body.
 */
export function createGate(authenticate: Authenticate): Gate {
  return async (context) => {
    const record = context.values.get(recordKey);
    try {
      const needed = accessOf(context.method);
      if (needed === "public") return;
      const caller = await authenticate(keyIn(context.requestHeader));
      if (record !== undefined) record.caller = caller;
      requireScope(caller, needed);
      context.values.set(callerKey, caller);
    } catch (cause) {
      throw toConnectError(cause, record, context.signal);
    }
  };
}

/** Who may call a method. Throws if the contract does not say, so that no method is open by oversight. */
export function accessOf(method: DescMethod): Access {
  const rules = hasOption(method, access) ? getOption(method, access) : undefined;
  if (rules?.public === true) return "public";
  const scope = keyScopes.find((candidate) => candidate === rules?.scope);
  if (scope === undefined) throw new Error(`${method.parent.typeName}/${method.name} does not say who may call it`);
  return scope;
}

function keyIn(header: Headers): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(header.get("authorization") ?? "");
  return header.get("x-api-key")?.trim() || bearer?.[1];
}
