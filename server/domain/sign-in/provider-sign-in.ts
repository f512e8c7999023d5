import type { Domain } from "../domain.ts";
import type { Challenge, IdentityProvider, ProviderSignIn } from "../ports/provider-sign-in.ts";
import { seal, sealingKey, unseal } from "../sealing.ts";
import { beginSession } from "../sessions/sessions.ts";
import { memberOf, type SignInRules } from "./join.ts";
import type { LinkedMember } from "./identity.ts";
import { linkPerson } from "./link.ts";
import { SignInRefusal } from "./refusal.ts";

/** Time that a person may take at the provider. */
const attemptMs = 10 * 60_000;

interface Attempt extends Challenge {
  readonly returnTo: string;
  readonly expiresAt: number;
  readonly link?: LinkedMember;
  readonly isFounding: boolean;
}

interface Options extends Pick<Domain, "metadata" | "clock"> {
  readonly provider: IdentityProvider;
  readonly rules: SignInRules;
  /**
   * A secret that only the processes of the service share: any of them may end a sign-in that another one has
   * begun.
   */
  readonly secret: string;
}

export function createProviderSignIn({ provider, rules, secret, metadata, clock }: Options): ProviderSignIn {
  const stores = { metadata, clock };
  const key = sealingKey(secret, "drs sign-in attempts");
  return {
    providerName: provider.name,
    signUp: rules.signUpPlan !== undefined,
    async begin({ redirectUri, returnTo, link, isFounding = false }) {
      const { address, challenge } = await provider.begin(redirectUri);
      const attempt: Attempt = {
        ...challenge,
        returnTo,
        isFounding,
        expiresAt: clock() + attemptMs,
        ...(link && { link }),
      };
      return { address, attempt: seal(JSON.stringify(attempt), key), expiresAt: attempt.expiresAt };
    },
    async finish({ address, attempt, agent }) {
      const text = attempt === undefined ? undefined : unseal(attempt, key);
      if (text === undefined) throw new SignInRefusal("attempt_expired", "the browser has no sign-in under way");
      const { returnTo, expiresAt, link, isFounding, ...challenge }: Attempt = JSON.parse(text);
      if (expiresAt <= clock()) throw new SignInRefusal("attempt_expired", "it took too long");
      if (new URL(address).searchParams.get("state") !== challenge.state)
        throw new SignInRefusal("attempt_expired", "the answer is to another sign-in");
      if (link !== undefined) {
        await shownAt(returnTo, async () => linkPerson(stores, await provider.finish(address, challenge), link));
        return { signedIn: undefined, returnTo };
      }
      const person = await provider.finish(address, challenge);
      const { id: memberId, organisationId } = await memberOf(stores, rules, { person, isFounding });
      const principal = { organisationId, holder: { kind: "member", memberId } } as const;
      return { signedIn: await beginSession(stores, principal, agent), returnTo };
    },
  };
}

/** Shows a refusal on the page where the person has begun. */
async function shownAt<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    throw cause instanceof SignInRefusal ? new SignInRefusal(cause.code, cause.reason, path) : cause;
  }
}
