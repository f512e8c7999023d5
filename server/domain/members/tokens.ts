import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { parseTokenId, type TokenId } from "../ids.ts";
import type { PersonalToken } from "./member.ts";

/** Lists the caller's personal tokens, oldest first; an API key has none. */
export async function listTokens(
  { metadata }: Domain,
  { caller }: { caller: Caller },
): Promise<readonly PersonalToken[]> {
  const { actor } = caller;
  return actor.kind === "key" ? [] : metadata.members.tokens(actor.memberId);
}

/** The personal token of the call; undefined if it came with another credential. */
export const currentToken = ({ actor, sessionId }: Caller): TokenId | undefined =>
  actor.kind === "key" || sessionId !== undefined ? undefined : actor.tokenId;

/** Revokes one of the caller's personal tokens. Throws `not_found` for any other. */
export async function endToken(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<void> {
  const { actor } = caller;
  const id = parseTokenId(input.id);
  const found = id && actor.kind !== "key" ? await metadata.members.findToken(id) : undefined;
  if (found === undefined || actor.kind === "key" || found.member.id !== actor.memberId) {
    throw notFound(`you have no personal token ${JSON.stringify(input.id)}`);
  }
  const { name } = found.token;
  const details = name === null ? "" : JSON.stringify(name);
  const event = actOf(caller, { action: "member.sign_out", target: actor.memberId, details }, clock());
  await metadata.members.removeToken(found.token.id, event);
}
