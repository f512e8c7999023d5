export type { CreateOptions, DrsOptions, PageSession, RequestOptions } from "./connection.ts";
export type { Dataset, DatasetType } from "./datasets/dataset.ts";
export type {
  DatasetChanges,
  DatasetFilter,
  Datasets,
  DeletedDataset,
  Deletion,
  DatasetSelection,
} from "./datasets/datasets.ts";
export type { FieldConditions, Filter, Metadata, MetadataChange, MetadataValue } from "./datasets/metadata.ts";
export type { Device, DeviceAuthorization, Devices } from "./devices/devices.ts";
export { readCondition, readValue } from "./datasets/written.ts";
export { createDrs, type Drs } from "./drs.ts";
export { DrsError, type DrsErrorCode } from "./errors.ts";
export type { FoundItem, Highlight, Include, Item, ItemRow, PictureWidth, Snippet } from "./items/item.ts";
export type { ItemFilter, Items, SeveralItemsQuery, WantedPages } from "./items/items.ts";
export {
  isFinished,
  type Job,
  type JobProgress,
  type JobStatus,
  type JobType,
  type JobWarning,
  type PageFailure,
} from "./jobs/job.ts";
export type { JobFilter, Jobs } from "./jobs/jobs.ts";
export type { WatchOptions } from "./jobs/watch.ts";
export type { Invitation, InvitationRequest, Member, MemberRole, Members, NewInvitation } from "./members/members.ts";
export type {
  InvitationAcceptance,
  Identity,
  InvitationOffer,
  PersonalSession,
  SignIn,
  TokenInfo,
  Tokens,
} from "./members/sign-in.ts";
export type { Model, ModelProgress, Models, ModelState } from "./models/models.ts";
export type { Audit, AuditEvent, AuditFilter } from "./organisations/audit.ts";
export type { NewOrganisation, Organisation, Organisations } from "./organisations/organisations.ts";
export type { Plan, PlanLimits, Plans } from "./organisations/plans.ts";
export type { ListQuery, Page, PageQuery } from "./pages.ts";
export type { ExplainedPart, Explanation } from "./search/explanation.ts";
export type { SearchOptions, SearchQuery } from "./search/request.ts";
export { type FoundItems, likelyScore, type Search } from "./search/search.ts";
export type { SearchManyQuery, SearchMany, SearchOutcome } from "./search/search.ts";
export type { ProviderIdentity, Session, Sessions, SignInCode, SignInOffer, SignInWays } from "./sessions/sessions.ts";
export type { Download, Downloadable } from "./shares/download.ts";
export type { LinkRotation, Links } from "./shares/share.ts";
export type { LinkOptions, Share } from "./shares/share.ts";
export type { ReplaceOptions, UploadOptions, UploadSource } from "./uploads/options.ts";
export type { UploadProgress } from "./uploads/progress.ts";
export type { UploadedPart, UploadState } from "./uploads/state.ts";
export type { Upload } from "./uploads/uploads.ts";
export type { Uploads } from "./uploads/uploads.ts";
export type { DailyUsage, StoredBytes, Usage } from "./usage/usage.ts";
export type { Delivery, DeliveryFilter, DeliveryStatus } from "./webhooks/delivery.ts";
export type {
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookEvent,
  WebhookRequest,
  Webhooks,
  WebhookSecret,
} from "./webhooks/webhooks.ts";
export type {
  ApiKey,
  Keys,
  KeyScope,
  NewApiKey,
  NewKey,
  Rotation,
  Workspace,
  Workspaces,
} from "./workspaces/workspaces.ts";
