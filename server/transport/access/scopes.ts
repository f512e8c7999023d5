import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { access } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { type Caller, type KeyScope, keyScopes } from "../../domain/caller.ts";
import { forbidden } from "../../domain/errors.ts";
import { readOnce } from "../read-once.ts";

/** `any` stands for every authenticated caller. */
type Access = "public" | "any" | KeyScope;

/** The access that a method needs. Throws if the contract does not say, so that no method is open by oversight. */
export const accessOf = readOnce((method: DescMethod): Access => {
  const rules = hasOption(method, access) ? getOption(method, access) : undefined;
  if (rules?.public === true) return "public";
  if (rules?.any === true) return "any";
  const scope = keyScopes.find((candidate) => candidate === rules?.scope);
  if (scope === undefined) throw new Error(`${method.parent.typeName}/${method.name} does not say who may call it`);
  return scope;
});

/** Throws `forbidden` unless the caller's key or role has the scope. */
export function requireScope({ actor, scopes }: Caller, scope: KeyScope): void {
  if (scopes.has(scope)) return;
  throw forbidden(
    actor.kind === "key"
      ? `this API key lacks the scope "${scope}"; use a key that has it, or create one with drs keys create`
      : `the role "${actor.role}" lacks the scope "${scope}"; ask an admin of the organisation for another role`,
    { reason: actor.kind === "key" ? "SCOPE_MISSING" : "ROLE_INSUFFICIENT" },
  );
}
