import {
  DatasetType as ProtoDatasetType,
  IfExists as ProtoIfExists,
  Include as ProtoInclude,
  ItemRow as ProtoItemRow,
  JobStatus as ProtoJobStatus,
  JobType as ProtoJobType,
  KeyScope as ProtoKeyScope,
  DeliveryStatus as ProtoDeliveryStatus,
  MemberRole as ProtoMemberRole,
  WebhookEvent as ProtoWebhookEvent,
} from "@drs/client/gen/drs/v1/enums_pb";
import type { KeyScope } from "../../domain/caller.ts";
import type { DatasetType } from "../../domain/datasets/dataset.ts";
import type { IfExists } from "../../domain/datasets/same-content.ts";
import type { Inclusion } from "../../domain/items/contents.ts";
import { type ItemRow, isPictureWidth, type PictureWidth } from "../../domain/items/item.ts";
import type { JobStatus, JobType } from "../../domain/jobs/job.ts";
import type { MemberRole } from "../../domain/members/member.ts";
import type { DeliveryStatus, WebhookEvent } from "../../domain/webhooks/webhook.ts";

/** Maps a closed set of words of the domain to the values on the wire. */
interface Codec<Word extends string, Wire extends number> {
  toWire(word: Word): Wire;
  /** Undefined for unspecified and unknown values, which validation has refused where they matter. */
  fromWire(value: number): Word | undefined;
}

function codec<Word extends string, Wire extends number>(wires: Readonly<Record<Word, Wire>>): Codec<Word, Wire> {
  const isWord = (text: string): text is Word => text in wires;
  const words = new Map<number, Word>();
  for (const word of Object.keys(wires)) if (isWord(word)) words.set(wires[word], word);
  return { toWire: (word) => wires[word], fromWire: (value) => words.get(value) };
}

export const jobTypes = codec<JobType, ProtoJobType>({
  "datasets/extract": ProtoJobType.EXTRACT,
  "datasets/vectorize": ProtoJobType.VECTORIZE,
});

export const webhookEvents = codec<WebhookEvent, ProtoWebhookEvent>({
  "job.finished": ProtoWebhookEvent.JOB_FINISHED,
  "job.failed": ProtoWebhookEvent.JOB_FAILED,
  "dataset.deleted": ProtoWebhookEvent.DATASET_DELETED,
  "dataset.expiring": ProtoWebhookEvent.DATASET_EXPIRING,
});

export const deliveryStatuses = codec<DeliveryStatus, ProtoDeliveryStatus>({
  pending: ProtoDeliveryStatus.PENDING,
  delivered: ProtoDeliveryStatus.DELIVERED,
  failed: ProtoDeliveryStatus.FAILED,
});

export const jobStatuses = codec<JobStatus, ProtoJobStatus>({
  NOT_STARTED: ProtoJobStatus.NOT_STARTED,
  IN_QUEUE: ProtoJobStatus.IN_QUEUE,
  IN_PROGRESS: ProtoJobStatus.IN_PROGRESS,
  SUCCESS: ProtoJobStatus.SUCCESS,
  ERROR: ProtoJobStatus.ERROR,
});

export const datasetTypes = codec<DatasetType, ProtoDatasetType>({
  doc: ProtoDatasetType.DOC,
  audio: ProtoDatasetType.AUDIO,
  video: ProtoDatasetType.VIDEO,
  image: ProtoDatasetType.IMAGE,
});

export const itemRows = codec<ItemRow, ProtoItemRow>({
  pdf: ProtoItemRow.PDF,
  jpg: ProtoItemRow.JPG,
  embedding_image: ProtoItemRow.EMBEDDING_IMAGE,
});

export const inclusions = codec<Inclusion, ProtoInclude>({
  text: ProtoInclude.TEXT,
  snippet: ProtoInclude.SNIPPET,
  highlights: ProtoInclude.HIGHLIGHTS,
  picture: ProtoInclude.PICTURE,
  metadata: ProtoInclude.METADATA,
});

const existsChoices = codec<IfExists, ProtoIfExists>({
  create: ProtoIfExists.CREATE,
  return: ProtoIfExists.RETURN,
});

/** Undefined if the field is not set. */
export const existsChoiceOf = (value: ProtoIfExists | undefined): IfExists | undefined =>
  value === undefined ? undefined : existsChoices.fromWire(value);

export const keyScopes = codec<KeyScope, ProtoKeyScope>({
  read: ProtoKeyScope.READ,
  write: ProtoKeyScope.WRITE,
  search: ProtoKeyScope.SEARCH,
  admin: ProtoKeyScope.ADMIN,
});

export const memberRoles = codec<MemberRole, ProtoMemberRole>({
  owner: ProtoMemberRole.OWNER,
  admin: ProtoMemberRole.ADMIN,
  member: ProtoMemberRole.MEMBER,
  viewer: ProtoMemberRole.VIEWER,
});

/** A picture's width, which validation has already checked. */
export const widthOf = (value: number | undefined): PictureWidth | undefined =>
  value !== undefined && isPictureWidth(value) ? value : undefined;

/** All known words of a repeated field. */
export function wordsOf<Word extends string>(
  { fromWire }: Codec<Word, number>,
  values: readonly number[],
): readonly Word[] {
  return values.flatMap((value) => fromWire(value) ?? []);
}
