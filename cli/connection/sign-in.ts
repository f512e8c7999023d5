import { isDrsError } from "../failures.ts";

interface Access {
  readonly server: string;
  readonly apiKey: string;
}

/** Personal tokens are used in place of API keys; the prefix tells them apart. */
export function isPersonalToken(apiKey: string): boolean {
  return apiKey.startsWith("drsp_");
}

/** Joins an organisation, once. Resolves with the personal token, which the server shows only now. */
export async function join(
  {
    server,
    invitation,
    name,
  }: { readonly server: string; readonly invitation: string; readonly name: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  const { createDrs } = await import("@drs/client");
  const { token } = await createDrs({ server }).acceptInvitation({ token: invitation, name }, { signal });
  return token;
}

/** Ends a personal token. Resolves when the server rejects the token, even if it already did before. */
export async function endPersonalToken(access: Access, signal: AbortSignal): Promise<void> {
  const { createDrs } = await import("@drs/client");
  try {
    await createDrs(access).signOut({ signal });
  } catch (cause) {
    if (!isDrsError(cause) || cause.code !== "unauthenticated") throw cause;
  }
}
