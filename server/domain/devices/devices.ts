import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { forbidden, invalid, notFound, rateLimited } from "../errors.ts";
import { newDeviceCodeId, newTokenId, parseDeviceCodeId } from "../ids.ts";
import type { JoinedMember } from "../members/invitations.ts";
import type { PersonalToken } from "../members/member.ts";
import { cleanName } from "../names.ts";
import { formatSecret, hashSecret, matchesSecret, newSecret, parseSecret } from "../secrets.ts";
import { homeWorkspace } from "../workspaces/workspaces.ts";
import { type DeviceCode, deviceCodeMs, maxWaiting, newUserCode, pollIntervalMs, typedUserCode } from "./device.ts";

type Stores = Pick<Domain, "metadata" | "clock">;

/** The code that a device shows and the code that it polls with. */
export interface StartedDevice extends Pick<DeviceCode, "userCode" | "expiresAt"> {
  readonly deviceCode: string;
}

/** Begins a sign-in of a device. `network` is where the request comes from. */
export async function startDevice(
  { metadata, clock }: Stores,
  input: { name: string; network: string },
): Promise<StartedDevice> {
  const name = cleanName(input.name);
  for (;;) {
    const secret = newSecret();
    const createdAt = clock();
    const device: DeviceCode = {
      id: newDeviceCodeId(),
      userCode: newUserCode(),
      secretSha256: hashSecret(secret),
      name,
      network: input.network,
      createdAt,
      expiresAt: createdAt + deviceCodeMs,
      polledAt: null,
      answer: null,
      memberId: null,
      organisationId: null,
      sessionId: null,
    };
    const { id, userCode, expiresAt } = device;
    if ((await metadata.devices.create(device, maxWaiting)) === "created")
      return { userCode, expiresAt, deviceCode: formatSecret("drsd", id, secret) };
  }
}

/** Finds the waiting device that shows a code. Throws `not_found`. */
export async function getDevice({ metadata, clock }: Stores, input: { userCode: string }): Promise<DeviceCode> {
  const device = await metadata.devices.findByUserCode(typedUserCode(input.userCode));
  if (device === undefined || device.answer !== null || device.expiresAt <= clock()) throw noSuchDevice(input.userCode);
  return device;
}

/**
 * Approves a device as the caller, or denies it. Throws `not_found`, and `invalid` for a caller that is not a
 * member.
 */
export async function answerDevice(
  stores: Stores,
  { caller, input }: { caller: Caller; input: { userCode: string; answer: "approved" | "denied" } },
): Promise<void> {
  const { actor, organisationId, sessionId = null } = caller;
  if (actor.kind === "key") {
    throw invalid("an API key lets no device in; sign in as a member, or give the device a key with drs keys create");
  }
  const { id, name } = await getDevice(stores, input);
  const now = stores.clock();
  const action = input.answer === "approved" ? "device.approve" : "device.deny";
  const event = actOf(caller, { action, target: id, details: JSON.stringify(name) }, now);
  const by = { answer: input.answer, memberId: actor.memberId, organisationId, sessionId };
  if (!(await stores.metadata.devices.answer(id, by, now, event))) throw noSuchDevice(input.userCode);
}

/**
 * Returns the personal token once the person has approved; undefined until then. Throws `rate_limited` for a device
 * that polls too often, `forbidden` if the person has denied, and, always with the same sentence, for a code that
 * is not valid.
 */
export async function pollDevice(
  { metadata, clock }: Stores,
  { input }: { input: { deviceCode: string } },
): Promise<JoinedMember | undefined> {
  const { id, secret } = parseSecret("drsd", input.deviceCode);
  const deviceId = parseDeviceCodeId(id);
  const device = deviceId && (await metadata.devices.get(deviceId));
  const now = clock();
  if (!matchesSecret(secret, device) || device === undefined || device.expiresAt <= now) throw refused();
  if (device.answer === "denied") throw forbidden("the sign-in was denied in the browser");
  if (device.answer === "approved") return redeem({ metadata }, device, now);
  const { polledAt } = device;
  await metadata.devices.polled(device.id, now);
  if (polledAt !== null && now - polledAt < pollIntervalMs - toleranceMs) {
    const seconds = pollIntervalMs / 1000;
    throw rateLimited(`ask every ${seconds} seconds at most`, { retryAfterSeconds: seconds });
  }
  return undefined;
}

/** Two polls may be this much closer, because of their travel time. */
const toleranceMs = 1_000;

async function redeem(
  { metadata }: Pick<Stores, "metadata">,
  { id, name, memberId }: DeviceCode,
  now: number,
): Promise<JoinedMember> {
  if (memberId === null) throw new Error("approved by nobody");
  const secret = newSecret();
  const token: PersonalToken = {
    id: newTokenId(),
    memberId,
    name,
    secretSha256: hashSecret(secret),
    createdAt: now,
  };
  const member = await metadata.devices.redeem(id, token);
  if (member === undefined) throw refused();
  const { id: workspaceId } = await homeWorkspace(metadata, member.organisationId);
  return { member, token: formatSecret("drsp", token.id, secret), workspaceId };
}

const noSuchDevice = (userCode: string): Error =>
  notFound(`no device waits with the code ${JSON.stringify(userCode)}; compare it, or begin again on the device`);

const refused = (): Error => forbidden("this code has expired or been used; begin again");
