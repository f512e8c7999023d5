import { decodeTime, ulid } from "ulid";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type OrganisationId = Branded<"OrganisationId">;
export type WorkspaceId = Branded<"WorkspaceId">;
export type KeyId = Branded<"KeyId">;
export type DatasetId = Branded<"DatasetId">;
export type ItemId = Branded<"ItemId">;
export type JobId = Branded<"JobId">;

/** Ids sort by the time they were made: a prefix and a ULID in lower case (48 bits of time, 80 random bits). */
function timeSortable(prefix: string): string {
  return `${prefix}_${ulid().toLowerCase()}`;
}

export const newOrganisationId = (): OrganisationId => timeSortable("org") as OrganisationId;
export const newWorkspaceId = (): WorkspaceId => timeSortable("ws") as WorkspaceId;
export const newDatasetId = (): DatasetId => timeSortable("ds") as DatasetId;
export const newJobId = (): JobId => timeSortable("dsj") as JobId;
export const newKeyId = (): KeyId => timeSortable("key").replace("key_", "") as KeyId;

const ulidText = /^[0-9a-hjkmnp-tv-z]{26}$/;

function parse<Id extends string>(prefix: string, text: string): Id | undefined {
  if (!text.startsWith(`${prefix}_`)) return undefined;
  return ulidText.test(text.slice(prefix.length + 1)) ? (text as Id) : undefined;
}

/** The id that a text from outside stands for, or undefined if it cannot be one. */
export const parseDatasetId = (text: string): DatasetId | undefined => parse("ds", text);
export const parseJobId = (text: string): JobId | undefined => parse("dsj", text);
export const parseKeyId = (text: string): KeyId | undefined =>
  ulidText.test(text) ? (text as KeyId) : undefined;

/** When an id was made, milliseconds since the epoch. */
export function timeOfId(id: DatasetId | JobId): number {
  return decodeTime(id.slice(id.indexOf("_") + 1).toUpperCase());
}
