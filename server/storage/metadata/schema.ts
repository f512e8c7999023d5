import type {
  OrganisationTable,
  PlanTable,
  MemberTable,
  PersonalTokenTable,
  InvitationTable,
  IdentityTable,
  SessionTable,
  SignInCodeTable,
  DeviceCodeTable,
  AuditEventTable,
  WorkspaceTable,
  ApiKeyTable,
  SigningKeyTable,
} from "./tables/accounts.ts";
import type {
  GarbageTable,
  AttemptTable,
  TallyTable,
  HoldingTable,
  RequestCountTable,
  DailyUsageTable,
  DutyTable,
  RateBucketTable,
} from "./tables/bookkeeping.ts";
import type {
  DatasetTable,
  UploadTable,
  UploadPartTable,
  FetchTable,
  MetadataValueTable,
  PageTable,
  PageWordsTable,
  PageCountTable,
  RenditionTable,
} from "./tables/datasets.ts";
import type { FeatureTable, IndexTableTable, PackTable, IndexTable, IndexPageTable } from "./tables/indices.ts";
import type { JobTable, OrganisationTurnTable, SuspectPageTable, TurnTable } from "./tables/jobs.ts";
import type { CallbackSecretTable, WebhookDeliveryTable, WebhookTable } from "./tables/webhooks.ts";

/** The tables, with the names and types of the domain. Times are milliseconds since the epoch, UTC. */
export interface Schema {
  organisations: OrganisationTable;
  plans: PlanTable;
  members: MemberTable;
  personalTokens: PersonalTokenTable;
  invitations: InvitationTable;
  identities: IdentityTable;
  sessions: SessionTable;
  signInCodes: SignInCodeTable;
  deviceCodes: DeviceCodeTable;
  auditEvents: AuditEventTable;
  workspaces: WorkspaceTable;
  apiKeys: ApiKeyTable;
  signingKeys: SigningKeyTable;
  datasets: DatasetTable;
  metadataValues: MetadataValueTable;
  uploads: UploadTable;
  uploadParts: UploadPartTable;
  fetches: FetchTable;
  jobs: JobTable;
  suspectPages: SuspectPageTable;
  turns: TurnTable;
  organisationTurns: OrganisationTurnTable;
  pages: PageTable;
  pageWords: PageWordsTable;
  pageCounts: PageCountTable;
  renditions: RenditionTable;
  garbage: GarbageTable;
  attempts: AttemptTable;
  holdings: HoldingTable;
  requestCounts: RequestCountTable;
  dailyUsage: DailyUsageTable;
  packs: PackTable;
  indices: IndexTable;
  indexPages: IndexPageTable;
  features: FeatureTable;
  indexTables: IndexTableTable;
  tallies: TallyTable;
  duties: DutyTable;
  rateBuckets: RateBucketTable;
  webhooks: WebhookTable;
  callbackSecrets: CallbackSecretTable;
  webhookDeliveries: WebhookDeliveryTable;
}
