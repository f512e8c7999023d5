import { create, type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { rest } from "@drs/client/gen/drs/rest/v1/rest_pb";
import {
  DatasetService,
  ExtractResponseSchema,
  ReplaceFileResponseSchema,
  VectorizeDatasetResponseSchema,
  VectorizeResponseSchema,
} from "@drs/client/gen/drs/v1/datasets_pb";
import { MemberService } from "@drs/client/gen/drs/v1/members_pb";
import { OrganisationService } from "@drs/client/gen/drs/v1/organisations_pb";
import { StartUploadResponseSchema, UploadService } from "@drs/client/gen/drs/v1/uploads_pb";
import { WebhookService } from "@drs/client/gen/drs/v1/webhooks_pb";
import { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";
import type { Domain } from "../../domain/domain.ts";
import { viewRepeated } from "../../domain/jobs/view.ts";
import type { Creation } from "../interceptors/idempotency.ts";
import { services } from "./index.ts";
import { jobMessage } from "./messages.ts";

/** The methods that accept an idempotency key. Throws if they differ from the contract. */
export function creations({ metadata, clock }: Domain): ReadonlyMap<DescMethod, Creation> {
  /** A creation whose answer is a job. */
  const answeringJob = (
    output:
      | typeof ExtractResponseSchema
      | typeof ReplaceFileResponseSchema
      | typeof VectorizeResponseSchema
      | typeof VectorizeDatasetResponseSchema,
  ): Creation => ({
    hasSecret: false,
    async find({ workspaceId }, { jobId }) {
      const found = await metadata.jobs.get(workspaceId, jobId);
      return found && create<DescMessage>(output, { job: jobMessage(await viewRepeated(metadata, found)) });
    },
  });
  const taken = new Map<DescMethod, Creation>([
    [DatasetService.method.extract, answeringJob(ExtractResponseSchema)],
    [DatasetService.method.vectorize, answeringJob(VectorizeResponseSchema)],
    [DatasetService.method.replaceFile, answeringJob(ReplaceFileResponseSchema)],
    [DatasetService.method.vectorizeDataset, answeringJob(VectorizeDatasetResponseSchema)],
    [
      UploadService.method.startUpload,
      {
        hasSecret: false,
        async find({ workspaceId }, { uploadKey }) {
          const found = await metadata.uploads.get(workspaceId, uploadKey, clock());
          return found && create(StartUploadResponseSchema, { upload: { key: found.key, expiresAt: found.expiresAt } });
        },
      },
    ],
    // A repeated call returns the same job by itself, so there is nothing to find.
    [UploadService.method.endUpload, { hasSecret: false, find: async () => undefined }],
    [WorkspaceService.method.createWorkspace, { hasSecret: false }],
    [WorkspaceService.method.createKey, { hasSecret: true }],
    [WorkspaceService.method.rotateKey, { hasSecret: true }],
    [OrganisationService.method.createOrganisation, { hasSecret: true }],
    [WebhookService.method.createWebhook, { hasSecret: true }],
    [WebhookService.method.rotateWebhookSecret, { hasSecret: true }],
    [MemberService.method.inviteMember, { hasSecret: true }],
  ]);
  for (const method of services.flatMap(({ methods }) => methods)) {
    if (getOption(method, rest).creates !== taken.has(method)) {
      throw new Error(`${method.parent.typeName}/${method.name}: contract and code disagree on idempotency keys`);
    }
  }
  return taken;
}
