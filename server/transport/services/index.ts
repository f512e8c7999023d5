import type { ConnectRouter } from "@connectrpc/connect";
import { DatasetService } from "@drs/client/gen/drs/v1/datasets_pb";
import { DeviceService } from "@drs/client/gen/drs/v1/devices_pb";
import { ItemService } from "@drs/client/gen/drs/v1/items_pb";
import { JobService } from "@drs/client/gen/drs/v1/jobs_pb";
import { LinkService } from "@drs/client/gen/drs/v1/links_pb";
import { MemberService } from "@drs/client/gen/drs/v1/members_pb";
import { ModelService } from "@drs/client/gen/drs/v1/models_pb";
import { OrganisationService } from "@drs/client/gen/drs/v1/organisations_pb";
import { SearchService } from "@drs/client/gen/drs/v1/search_pb";
import { SessionService } from "@drs/client/gen/drs/v1/sessions_pb";
import { ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import { UploadService } from "@drs/client/gen/drs/v1/uploads_pb";
import { UsageService } from "@drs/client/gen/drs/v1/usage_pb";
import { WebhookService } from "@drs/client/gen/drs/v1/webhooks_pb";
import { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";
import type { Authenticate } from "../../domain/authenticate.ts";
import type { Domain } from "../../domain/domain.ts";
import { type ServerFeatures, deviceService, sessionService } from "./sessions.ts";
import { datasetService } from "./datasets.ts";
import { itemService } from "./items.ts";
import { jobService } from "./jobs.ts";
import { linkService, shareService } from "./shares.ts";
import { memberService } from "./members.ts";
import { modelService } from "./models.ts";
import { organisationService, usageService, workspaceService } from "./organisations.ts";
import { searchService } from "./search.ts";
import { uploadService } from "./uploads.ts";
import { webhookService } from "./webhooks.ts";

/** Every service of the contract; REST and reflection read the descriptors. */
export const services = [
  DatasetService,
  DeviceService,
  ItemService,
  JobService,
  LinkService,
  MemberService,
  ModelService,
  OrganisationService,
  SearchService,
  SessionService,
  ShareService,
  UploadService,
  UsageService,
  WebhookService,
  WorkspaceService,
];

/** One implementation of all services, for every protocol. */
export function routes(
  domain: Domain,
  authenticate: Authenticate,
  features: ServerFeatures,
): (router: ConnectRouter) => void {
  return (router) => {
    router.service(DatasetService, datasetService(domain));
    router.service(DeviceService, deviceService(domain, features));
    router.service(ItemService, itemService(domain));
    router.service(JobService, jobService(domain));
    router.service(LinkService, linkService(domain));
    router.service(MemberService, memberService(domain));
    router.service(ModelService, modelService(domain));
    router.service(OrganisationService, organisationService(domain));
    router.service(SearchService, searchService(domain));
    router.service(SessionService, sessionService(domain, authenticate, features));
    router.service(ShareService, shareService(domain));
    router.service(UploadService, uploadService(domain));
    router.service(UsageService, usageService(domain));
    router.service(WebhookService, webhookService(domain));
    router.service(WorkspaceService, workspaceService(domain));
  };
}
