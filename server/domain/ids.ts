import { randomFillSync } from "node:crypto";
import { decodeTime, ulid } from "ulid";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type OrganisationId = Branded<"OrganisationId">;
export type WorkspaceId = Branded<"WorkspaceId">;
export type KeyId = Branded<"KeyId">;
export type DatasetId = Branded<"DatasetId">;
export type ItemId = Branded<"ItemId">;
export type JobId = Branded<"JobId">;
export type UploadKey = Branded<"UploadKey">;
export type MemberId = Branded<"MemberId">;
export type InvitationId = Branded<"InvitationId">;
export type TokenId = Branded<"TokenId">;
export type SessionId = Branded<"SessionId">;
export type SignInCodeId = Branded<"SignInCodeId">;
export type DeviceCodeId = Branded<"DeviceCodeId">;
export type EventId = Branded<"EventId">;
export type WebhookId = Branded<"WebhookId">;

interface IdKind<Id extends string> {
  create(): Id;
  /** Returns the id in a text from outside, or undefined if it is none. */
  parse(text: string): Id | undefined;
}

/** As `newUlid` makes them. */
const ulidPattern = "[0-7][0-9a-hjkmnp-tv-z]{25}";

function idKind<Id extends string>(prefix: string): IdKind<Id> {
  const pattern = new RegExp(`^${prefix}${ulidPattern}$`);
  const is = (text: string): text is Id => pattern.test(text);
  return {
    create() {
      const text = `${prefix}${newUlid()}`;
      if (!is(text)) throw new Error(`${text} is not an id of the kind ${prefix}`);
      return text;
    },
    parse: (text) => (is(text) ? text : undefined),
  };
}

const organisations = idKind<OrganisationId>("org_");
const workspaces = idKind<WorkspaceId>("ws_");
const datasets = idKind<DatasetId>("ds_");
const jobs = idKind<JobId>("dsj_");
const uploads = idKind<UploadKey>("tmp_");
/** Has no prefix: it is the readable part of the key. */
const keys = idKind<KeyId>("");
const members = idKind<MemberId>("mem_");
const invitations = idKind<InvitationId>("inv_");
const events = idKind<EventId>("evt_");
const webhooks = idKind<WebhookId>("wh_");
/** The readable part of a personal token. */
const tokens = idKind<TokenId>("");
const sessions = idKind<SessionId>("ses_");
/** The readable part of a sign-in code. */
const signInCodes = idKind<SignInCodeId>("");
/** The readable part of the code that a device polls with. */
const deviceCodes = idKind<DeviceCodeId>("");

export const newOrganisationId = (): OrganisationId => organisations.create();
export const newWorkspaceId = (): WorkspaceId => workspaces.create();
export const newDatasetId = (): DatasetId => datasets.create();
export const newJobId = (): JobId => jobs.create();
export const newUploadKey = (): UploadKey => uploads.create();
export const newKeyId = (): KeyId => keys.create();
export const newMemberId = (): MemberId => members.create();
export const newInvitationId = (): InvitationId => invitations.create();
export const newTokenId = (): TokenId => tokens.create();
export const newSessionId = (): SessionId => sessions.create();
export const newSignInCodeId = (): SignInCodeId => signInCodes.create();
export const newDeviceCodeId = (): DeviceCodeId => deviceCodes.create();
export const newEventId = (): EventId => events.create();
export const newWebhookId = (): WebhookId => webhooks.create();

export const parseOrganisationId = (text: string): OrganisationId | undefined => organisations.parse(text);
export const parseWorkspaceId = (text: string): WorkspaceId | undefined => workspaces.parse(text);
export const parseDatasetId = (text: string): DatasetId | undefined => datasets.parse(text);
export const parseJobId = (text: string): JobId | undefined => jobs.parse(text);
export const parseUploadKey = (text: string): UploadKey | undefined => uploads.parse(text);
export const parseKeyId = (text: string): KeyId | undefined => keys.parse(text);
export const parseMemberId = (text: string): MemberId | undefined => members.parse(text);
export const parseInvitationId = (text: string): InvitationId | undefined => invitations.parse(text);
export const parseTokenId = (text: string): TokenId | undefined => tokens.parse(text);
export const parseSessionId = (text: string): SessionId | undefined => sessions.parse(text);
export const parseSignInCodeId = (text: string): SignInCodeId | undefined => signInCodes.parse(text);
export const parseDeviceCodeId = (text: string): DeviceCodeId | undefined => deviceCodes.parse(text);
export const parseWebhookId = (text: string): WebhookId | undefined => webhooks.parse(text);

/** Random bytes are fetched in blocks, because a call for each byte would dominate the cost. */
const pool = new Uint8Array(4096);
let used = pool.length;

/** Returns a random number from 0 to less than 1. */
function draw(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  // Erased so that nobody who reads the process's memory later learns it.
  pool[used] = 0;
  used += 1;
  return byte / 256;
}

/**
 * Returns a ULID in lower case: 48 bits of time, so that ids sort by age, and 80 random bits, so that they cannot
 * be guessed.
 */
export const newUlid = (): string => ulid(undefined, draw).toLowerCase();

/** When the id was created, in ms since the epoch. */
export const timeOfUlid = (id: string): number => decodeTime(id.toUpperCase());
