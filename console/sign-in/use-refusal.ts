import { useSearchParams } from "wouter";
import { useTexts } from "../texts/texts.tsx";

/** The reason why a sign-in with the provider has failed (`?error=CODE`); undefined if the address has none. */
export function useRefusal(): string | undefined {
  const { signIn } = useTexts();
  const [parameters] = useSearchParams();
  const code = parameters.get("error");
  if (code === null) return undefined;
  const reasons: Readonly<Record<string, string>> = signIn.refusals;
  return Object.hasOwn(reasons, code) ? reasons[code] : signIn.refusals.provider_refused;
}
