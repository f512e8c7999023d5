import type { JsonObject } from "@bufbuild/protobuf";
import { onePage } from "../../contract/world.ts";
import type { Ids } from "./ids.ts";
import type { Tenant } from "./tenant.ts";

/** How a method is called from a workspace, aimed at ids that are its own, another's or unused. */
export interface MethodCase {
  messages(target: Ids, caller: Tenant): readonly JsonObject[];
  /** The id that it takes; undefined if it is always about the caller's workspace. */
  readonly takes?: keyof Ids;
  /** The scope: by default the workspace of the key; with an administrator's key the whole organisation. */
  readonly reach?: "organisation";
  /** Only the operator may do it. */
  readonly isOperators?: true;
}

const file = onePage.toString("base64");
const part = Buffer.from("%PDF-1.7 a part").toString("base64");

/**
 * One case for every method of the contract, by `Service/Method`. A method that is new in the contract fails the suite
 * until it has one.
 */
export const cases: Readonly<Record<string, MethodCase>> = {
  "DatasetService/Extract": { messages: () => [{ fileName: "try.pdf" }, { file }] },
  "DatasetService/Vectorize": { messages: () => [{ fileName: "try.pdf" }, { file }] },
  "DatasetService/VectorizeDataset": { takes: "dataset", messages: ({ dataset }) => [{ id: dataset }] },
  "DatasetService/ListDatasets": { messages: () => [{ limit: 100 }] },
  "DatasetService/GetDataset": { takes: "dataset", messages: ({ dataset }) => [{ id: dataset }] },
  "DatasetService/UpdateDataset": {
    takes: "dataset",
    messages: ({ dataset }) => [{ id: dataset, metadata: { taken: true } }],
  },
  "DatasetService/ReplaceFile": {
    takes: "dataset",
    messages: ({ dataset }) => [{ id: dataset, fileName: "try.pdf" }, { file }],
  },
  "DatasetService/DeleteDataset": { takes: "dataset", messages: ({ dataset }) => [{ id: dataset }] },
  "DatasetService/DeleteDatasets": {
    messages: ({ dataset }) => [{ ids: [dataset], dryRun: true }],
  },
  "DeviceService/StartDevice": { messages: () => [{ name: "intruder" }] },
  "DeviceService/PollDevice": { messages: () => [{ deviceCode: `drsd_${"0".repeat(26)}_${"A".repeat(43)}` }] },
  // A device waits for whoever has its code, and for no tenant.
  "DeviceService/GetDevice": { messages: () => [{ userCode: "BBBB-BBBB" }] },
  "DeviceService/ApproveDevice": { messages: () => [{ userCode: "BBBB-BBBB" }] },
  "DeviceService/DenyDevice": { messages: () => [{ userCode: "BBBB-BBBB" }] },
  "ItemService/ListItems": { takes: "dataset", messages: ({ dataset }) => [{ datasetId: dataset, limit: 100 }] },
  "ItemService/GetItems": { takes: "dataset", messages: ({ dataset }) => [{ wanted: [{ datasetId: dataset }] }] },
  "JobService/ListJobs": { messages: () => [{ limit: 100 }] },
  "JobService/GetJob": { takes: "job", messages: ({ job }) => [{ id: job }] },
  "JobService/CancelJob": { takes: "job", messages: ({ job }) => [{ id: job }] },
  "JobService/RetryJob": { takes: "job", messages: ({ job }) => [{ id: job }] },
  "JobService/WatchJob": { takes: "job", messages: ({ job }) => [{ id: job }] },
  "LinkService/RotateLinks": { isOperators: true, messages: () => [{ revoke: true }] },
  "MemberService/ListMembers": { messages: () => [{}] },
  "MemberService/InviteMember": { messages: () => [{ name: "intruder", role: "viewer" }] },
  "MemberService/ListInvitations": { messages: () => [{}] },
  "MemberService/RevokeInvitation": {
    takes: "invitation",
    reach: "organisation",
    messages: ({ invitation }) => [{ id: invitation }],
  },
  // The invitation's token is the credential: another's id is tried with a secret that is none.
  "MemberService/ShowInvitation": {
    takes: "invitation",
    messages: ({ invitation }) => [{ token: `drsi_${invitation}_${"A".repeat(43)}` }],
  },
  "MemberService/AcceptInvitation": {
    takes: "invitation",
    messages: ({ invitation }) => [{ token: `drsi_${invitation}_${"A".repeat(43)}`, name: "intruder" }],
  },
  "MemberService/UpdateMember": {
    takes: "member",
    reach: "organisation",
    messages: ({ member }) => [{ id: member, role: "admin" }],
  },
  "MemberService/RemoveMember": { takes: "member", reach: "organisation", messages: ({ member }) => [{ id: member }] },
  "MemberService/WhoAmI": { messages: () => [{}] },
  "MemberService/ListTokens": { messages: () => [{}] },
  "MemberService/EndToken": { messages: () => [{ id: "0".repeat(26) }] },
  "MemberService/SignOut": { messages: () => [{}] },
  "ModelService/ListModels": { messages: () => [{}] },
  "ModelService/UseModel": { isOperators: true, messages: () => [{ id: "intruder" }] },
  "OrganisationService/CreateOrganisation": { isOperators: true, messages: () => [{ name: "intruder" }] },
  "OrganisationService/ListOrganisations": { messages: () => [{}] },
  "OrganisationService/UpdateOrganisation": {
    takes: "organisation",
    reach: "organisation",
    messages: ({ organisation }) => [{ id: organisation, name: "intruder" }],
  },
  "OrganisationService/ListPlans": { messages: () => [{}] },
  "OrganisationService/SetPlan": { isOperators: true, messages: () => [{ name: "intruder" }] },
  "OrganisationService/DeletePlan": { isOperators: true, messages: () => [{ name: "intruder" }] },
  "OrganisationService/ListAuditEvents": { messages: () => [{ limit: 100 }] },
  // One that names another's dataset fails by itself, so that the answer is none to be refused.
  "SearchService/SearchMany": {
    messages: ({ dataset }) => [{ searches: [{ query: { text: "try" }, datasetIds: [dataset] }] }],
  },
  "SearchService/Search": {
    takes: "dataset",
    messages: ({ dataset }, caller) => [
      { query: { text: "lanterns of the harbour" }, datasetIds: [caller.dataset, dataset], limit: 100 },
    ],
  },
  // Refused unless the request comes from a page of the service.
  "SessionService/SignIn": { messages: (_, { key }) => [{ credential: key }] },
  "SessionService/GetSignInWays": { messages: () => [{}] },
  "SessionService/ListSessions": { messages: () => [{}] },
  "SessionService/EndSession": { takes: "session", messages: ({ session }) => [{ id: session }] },
  "SessionService/ListIdentities": { messages: () => [{}] },
  // Refused unless the request comes from a page of the service.
  "SessionService/LinkIdentity": { messages: () => [{}] },
  "SessionService/UnlinkIdentities": { messages: () => [{}] },
  "SessionService/CreateSignInCode": { messages: () => [{}] },
  // The token is the credential: another's id is tried with the caller's own token.
  "ShareService/ReadShare": {
    takes: "item",
    messages: ({ item }, { itemToken }) => [{ id: item, token: itemToken }],
  },
  "UploadService/StartUpload": {
    messages: () => [{ fileName: "try.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" }],
  },
  "UploadService/AppendPart": {
    takes: "upload",
    messages: ({ upload }) => [{ key: upload }, { partNumber: 1 }, { file: part }],
  },
  "UploadService/GetUpload": { takes: "upload", messages: ({ upload }) => [{ key: upload }] },
  "UploadService/ListUploads": { messages: () => [{ limit: 100 }] },
  "UploadService/EndUpload": { takes: "upload", messages: ({ upload }) => [{ key: upload }] },
  "UploadService/AbortUpload": { takes: "upload", messages: ({ upload }) => [{ key: upload }] },
  "UsageService/GetUsage": { messages: () => [{}] },
  "WebhookService/CreateWebhook": { messages: () => [{ url: "https://example.org/intruder" }] },
  "WebhookService/ListWebhooks": { messages: () => [{}] },
  "WebhookService/GetWebhook": { takes: "webhook", messages: ({ webhook }) => [{ id: webhook }] },
  "WebhookService/UpdateWebhook": {
    takes: "webhook",
    messages: ({ webhook }) => [{ id: webhook, description: "intruder" }],
  },
  "WebhookService/DeleteWebhook": { takes: "webhook", messages: ({ webhook }) => [{ id: webhook }] },
  "WebhookService/GetWebhookSecret": { takes: "webhook", messages: ({ webhook }) => [{ id: webhook }] },
  "WebhookService/RotateWebhookSecret": { takes: "webhook", messages: ({ webhook }) => [{ id: webhook }] },
  "WebhookService/TestWebhook": { takes: "webhook", messages: ({ webhook }) => [{ id: webhook }] },
  "WebhookService/ListDeliveries": { takes: "webhook", messages: ({ webhook }) => [{ id: webhook }] },
  "WebhookService/GetDelivery": {
    takes: "webhook",
    messages: ({ webhook, message }) => [{ id: webhook, messageId: message }],
  },
  "WebhookService/RedeliverDelivery": {
    takes: "webhook",
    messages: ({ webhook, message }) => [{ id: webhook, messageId: message }],
  },
  "WorkspaceService/CreateWorkspace": { messages: () => [{ name: "intruder" }] },
  "WorkspaceService/ListWorkspaces": { messages: () => [{}] },
  "WorkspaceService/CreateKey": {
    takes: "workspace",
    reach: "organisation",
    messages: ({ workspace }) => [{ workspace, name: "intruder" }],
  },
  "WorkspaceService/ListKeys": {
    takes: "workspace",
    reach: "organisation",
    messages: ({ workspace }) => [{ workspace }],
  },
  "WorkspaceService/RotateKey": { takes: "keyId", reach: "organisation", messages: ({ keyId }) => [{ id: keyId }] },
  "WorkspaceService/RevokeKey": { takes: "keyId", reach: "organisation", messages: ({ keyId }) => [{ id: keyId }] },
};
