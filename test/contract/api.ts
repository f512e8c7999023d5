import type { JsonObject } from "@bufbuild/protobuf";
import { DatasetService } from "@drs/client/gen/drs/v1/datasets_pb";
import { DeviceService } from "@drs/client/gen/drs/v1/devices_pb";
import { ItemService } from "@drs/client/gen/drs/v1/items_pb";
import { JobService } from "@drs/client/gen/drs/v1/jobs_pb";
import { MemberService } from "@drs/client/gen/drs/v1/members_pb";
import { LinkService } from "@drs/client/gen/drs/v1/links_pb";
import { ModelService } from "@drs/client/gen/drs/v1/models_pb";
import { OrganisationService } from "@drs/client/gen/drs/v1/organisations_pb";
import { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import { SessionService } from "@drs/client/gen/drs/v1/sessions_pb";
import { ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import { UploadService } from "@drs/client/gen/drs/v1/uploads_pb";
import { UsageService } from "@drs/client/gen/drs/v1/usage_pb";
import { WebhookService } from "@drs/client/gen/drs/v1/webhooks_pb";
import { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";

/** A call that failed, in a form that is the same for all protocols. */
export interface Refusal {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  /** Empty if the error has none of its own over RPC. */
  readonly reason: string;
}

/** The result of a call. */
export type Outcome = { readonly ok: true; readonly body: JsonObject } | Refusal;

export interface WatchedStates {
  readonly ok: true;
  /** All states of a job until its stream ended. */
  readonly states: readonly JsonObject[];
}

/** The answer to a share link. */
export interface SharedBytes {
  readonly ok: true;
  readonly contentType: string;
  readonly fileName: string;
  readonly size: number;
  readonly etag: string;
  readonly bytes: Buffer;
}

export interface Upload {
  readonly file?: Uint8Array | undefined;
  readonly fileName?: string | undefined;
  readonly url?: string | undefined;
  readonly expiresInDays?: number | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly callbackUrl?: string | undefined;
  /** "create", "return", or a word that there is not. */
  readonly ifExists?: string | undefined;
  /** Goes before the file. */
  readonly sha256?: string | undefined;
}

/** A part of an upload session. */
export interface Part {
  readonly file: Uint8Array;
  readonly key?: string | undefined;
  readonly partNumber?: number | undefined;
  readonly checksum?: string | undefined;
  /** Whether the bytes come before the fields that describe them. */
  readonly bytesFirst?: boolean;
}

/** The input of `replaceFile`. */
export interface Version extends Pick<Upload, "file" | "fileName" | "url" | "sha256"> {
  readonly vectorize?: boolean;
}

export interface CallOptions {
  /** Replaces the API key; null for none. */
  readonly key?: string | null;
  /** The workspace that the call asks for, by id or name. */
  readonly workspace?: string;
  readonly idempotencyKey?: string;
}

/** The API over one protocol; cases are written against it and run over every protocol. */
export interface Api {
  readonly protocol: string;
  /** `request` and the answer are the JSON form of the method's messages. */
  call(method: MethodName, request: JsonObject, options?: CallOptions): Promise<Outcome>;
  upload(method: "extract" | "vectorize", upload: Upload, options?: CallOptions): Promise<Outcome>;
  /** A new version of a dataset's document. */
  replace(id: string, upload: Version, options?: CallOptions): Promise<Outcome>;
  appendPart(part: Part, options?: { key?: string | null }): Promise<Outcome>;
  watch(id: string, options?: { afterRevision?: string; key?: string | null }): Promise<WatchedStates | Refusal>;
  /** Takes no key: the token is the credential. */
  readShare(id: string, token: string): Promise<SharedBytes | Refusal>;
}

export const services = [
  DatasetService,
  ItemService,
  JobService,
  MemberService,
  LinkService,
  ModelService,
  OrganisationService,
  SearchService,
  ShareService,
  UploadService,
  UsageService,
  WebhookService,
  WorkspaceService,
];

/** Unary methods by their names in the protos. */
export const methods = {
  vectorizeDataset: DatasetService.method.vectorizeDataset,
  listDatasets: DatasetService.method.listDatasets,
  getDataset: DatasetService.method.getDataset,
  updateDataset: DatasetService.method.updateDataset,
  deleteDataset: DatasetService.method.deleteDataset,
  deleteDatasets: DatasetService.method.deleteDatasets,
  listItems: ItemService.method.listItems,
  listJobs: JobService.method.listJobs,
  getJob: JobService.method.getJob,
  cancelJob: JobService.method.cancelJob,
  retryJob: JobService.method.retryJob,
  search: SearchService.method.search,
  searchMany: SearchService.method.searchMany,
  getItems: ItemService.method.getItems,
  startUpload: UploadService.method.startUpload,
  getUpload: UploadService.method.getUpload,
  listUploads: UploadService.method.listUploads,
  endUpload: UploadService.method.endUpload,
  abortUpload: UploadService.method.abortUpload,
  listMembers: MemberService.method.listMembers,
  inviteMember: MemberService.method.inviteMember,
  listInvitations: MemberService.method.listInvitations,
  revokeInvitation: MemberService.method.revokeInvitation,
  showInvitation: MemberService.method.showInvitation,
  acceptInvitation: MemberService.method.acceptInvitation,
  updateMember: MemberService.method.updateMember,
  removeMember: MemberService.method.removeMember,
  whoAmI: MemberService.method.whoAmI,
  listTokens: MemberService.method.listTokens,
  endToken: MemberService.method.endToken,
  signOut: MemberService.method.signOut,
  signIn: SessionService.method.signIn,
  getSignInWays: SessionService.method.getSignInWays,
  listSessions: SessionService.method.listSessions,
  listIdentities: SessionService.method.listIdentities,
  linkIdentity: SessionService.method.linkIdentity,
  unlinkIdentities: SessionService.method.unlinkIdentities,
  endSession: SessionService.method.endSession,
  startDevice: DeviceService.method.startDevice,
  pollDevice: DeviceService.method.pollDevice,
  getDevice: DeviceService.method.getDevice,
  approveDevice: DeviceService.method.approveDevice,
  denyDevice: DeviceService.method.denyDevice,
  createSignInCode: SessionService.method.createSignInCode,
  rotateLinks: LinkService.method.rotateLinks,
  listModels: ModelService.method.listModels,
  useModel: ModelService.method.useModel,
  createOrganisation: OrganisationService.method.createOrganisation,
  listOrganisations: OrganisationService.method.listOrganisations,
  updateOrganisation: OrganisationService.method.updateOrganisation,
  listPlans: OrganisationService.method.listPlans,
  setPlan: OrganisationService.method.setPlan,
  deletePlan: OrganisationService.method.deletePlan,
  listAuditEvents: OrganisationService.method.listAuditEvents,
  getUsage: UsageService.method.getUsage,
  createWorkspace: WorkspaceService.method.createWorkspace,
  listWorkspaces: WorkspaceService.method.listWorkspaces,
  createKey: WorkspaceService.method.createKey,
  listKeys: WorkspaceService.method.listKeys,
  rotateKey: WorkspaceService.method.rotateKey,
  revokeKey: WorkspaceService.method.revokeKey,
  createWebhook: WebhookService.method.createWebhook,
  listWebhooks: WebhookService.method.listWebhooks,
  getWebhook: WebhookService.method.getWebhook,
  updateWebhook: WebhookService.method.updateWebhook,
  deleteWebhook: WebhookService.method.deleteWebhook,
  getWebhookSecret: WebhookService.method.getWebhookSecret,
  rotateWebhookSecret: WebhookService.method.rotateWebhookSecret,
  testWebhook: WebhookService.method.testWebhook,
  listDeliveries: WebhookService.method.listDeliveries,
  getDelivery: WebhookService.method.getDelivery,
  redeliverDelivery: WebhookService.method.redeliverDelivery,
} as const;

export type MethodName = keyof typeof methods;
