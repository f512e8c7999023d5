import type { Domain } from "../domain.ts";
import type { Challenge, IdentityProvider } from "../ports/identity-provider.ts";
import { seal, sealingKey, unseal } from "../sealed-text.ts";
import type { ProviderSignIn } from "../ports/provider-sign-in.ts";
import { beginSession } from "../sessions/sign-in.ts";
import { memberOf, type SignInRules } from "./join.ts";
import { SignInRefusal } from "./refusal.ts";

/** How long a person may take at the provider. */
export const attemptMs = 10 * 60_000;

interface Attempt extends Challenge {
  readonly returnTo: string;
  readonly expiresAt: number;
}

interface Options extends Pick<Domain, "metadata" | "clock"> {
  readonly provider: IdentityProvider;
  readonly rules: SignInRules;
  /** What all processes of the service know and nobody else: any of them may end what another one has begun. */
  readonly secret: string;
}

export function createProviderSignIn({ provider, rules, secret, metadata, clock }: Options): ProviderSignIn {
  const key = sealingKey(secret, "drs sign-in attempts");
  return {
    providerName: provider.name,
    signUp: rules.signUpPlan !== undefined,
    async begin({ redirectUri, returnTo }) {
      const { address, challenge } = await provider.begin(redirectUri);
      const attempt: Attempt = { ...challenge, returnTo, expiresAt: clock() + attemptMs };
      return { address, attempt: seal(JSON.stringify(attempt), key), expiresAt: attempt.expiresAt };
    },
    async finish({ address, attempt, agent }) {
      const text = attempt === undefined ? undefined : unseal(attempt, key);
      if (text === undefined) throw new SignInRefusal("attempt_expired", "the browser has no sign-in under way");
      const { returnTo, expiresAt, ...challenge }: Attempt = JSON.parse(text);
      if (expiresAt <= clock()) throw new SignInRefusal("attempt_expired", "it took too long");
      if (new URL(address).searchParams.get("state") !== challenge.state)
        throw new SignInRefusal("attempt_expired", "the answer is to another sign-in");
      const person = await provider.finish(address, challenge);
      const { id: memberId, organisationId } = await memberOf({ metadata, clock }, rules, person);
      const known = { organisationId, holder: { kind: "member", memberId } } as const;
      return { ...(await beginSession({ metadata, clock }, known, agent)), returnTo };
    },
  };
}
