import { isDrsError } from "../failures.ts";

interface Access {
  readonly server: string;
  readonly apiKey: string;
}

/** Personal tokens and API keys stand in the same place; how they begin tells them apart. */
export function isPersonalToken(apiKey: string): boolean {
  return apiKey.startsWith("drsp_");
}

/** Joins an organisation, once. Resolves with the personal token, which the server shows this once. */
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

/** Resolves when the server refuses the token, also if it did so before. */
export async function endPersonalToken(access: Access, signal: AbortSignal): Promise<void> {
  const { createDrs } = await import("@drs/client");
  try {
    await createDrs(access).signOut({ signal });
  } catch (cause) {
    if (!isDrsError(cause) || cause.code !== "unauthenticated") throw cause;
  }
}
