import type { DescMethod } from "@bufbuild/protobuf";
import { DeviceService } from "@drs/client/gen/drs/v1/devices_pb";
import { MemberService } from "@drs/client/gen/drs/v1/members_pb";
import { OrganisationService } from "@drs/client/gen/drs/v1/organisations_pb";
import { SessionService } from "@drs/client/gen/drs/v1/sessions_pb";
import { WebhookService } from "@drs/client/gen/drs/v1/webhooks_pb";
import { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";
import type { Caller } from "../../domain/caller.ts";
import { forbidden, unauthenticated } from "../../domain/errors.ts";
import { freshMs } from "../../domain/sessions/session.ts";

/** Methods that give somebody access, or a secret that outlasts the session that has called. */
export const lasting: ReadonlySet<DescMethod> = new Set<DescMethod>([
  DeviceService.method.approveDevice,
  MemberService.method.inviteMember,
  MemberService.method.updateMember,
  OrganisationService.method.createOrganisation,
  SessionService.method.linkIdentity,
  WebhookService.method.createWebhook,
  WebhookService.method.getWebhookSecret,
  WebhookService.method.rotateWebhookSecret,
  WorkspaceService.method.createKey,
  WorkspaceService.method.rotateKey,
]);

/**
 * What a session makes must not outlive it: whoever has stolen one would keep what its owner has ended. So a session makes no
 * other one, and gives access that lasts only while the sign-in is fresh, which a thief cannot repeat. Throws `forbidden` and
 * `unauthenticated`.
 */
export function requireFreshSignIn(method: DescMethod, { sessionId, isFresh }: Caller): void {
  if (sessionId === undefined) return;
  if (method === SessionService.method.createSignInCode) {
    throw forbidden("a session makes no codes to sign in with; use a personal token or an API key, or drs open");
  }
  if (lasting.has(method) && isFresh !== true) {
    throw unauthenticated(
      `this gives access that lasts, and you signed in more than ${freshMs / 60_000} minutes ago; sign in again, then repeat it`,
    );
  }
}
