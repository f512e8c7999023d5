import type { JsonObject } from "@bufbuild/protobuf";
import { DatasetService } from "@drs/client/gen/drs/v1/datasets_pb.ts";
import { ItemService } from "@drs/client/gen/drs/v1/items_pb.ts";
import { JobService } from "@drs/client/gen/drs/v1/jobs_pb.ts";
import { SearchService } from "@drs/client/gen/drs/v1/search_pb.ts";
import { ShareService } from "@drs/client/gen/drs/v1/shares_pb.ts";
import { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb.ts";

/** What a call came to, the same whatever protocol it went over. */
export type Outcome =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly requestId: string };

export interface Upload {
  readonly file?: Uint8Array | undefined;
  readonly fileName?: string | undefined;
  readonly url?: string | undefined;
  readonly expiresInDays?: number | undefined;
}

/** One face of the API; cases are written against it and run over every protocol. */
export interface Api {
  readonly protocol: string;
  /** `request` and the answer are the JSON form of the method's messages. `key` replaces the API key; null: none. */
  call(method: MethodName, request: JsonObject, options?: { key?: string | null }): Promise<Outcome>;
  upload(method: "extract" | "vectorize", upload: Upload, options?: { key?: string | null }): Promise<Outcome>;
  /** All states of a job until its stream ends. */
  watch(id: string, afterRevision?: string): Promise<readonly JsonObject[]>;
}

export const services = [DatasetService, ItemService, JobService, SearchService, ShareService, WorkspaceService];

/** Unary methods by their names in the protos. */
export const methods = {
  vectorizeDataset: DatasetService.method.vectorizeDataset,
  listDatasets: DatasetService.method.listDatasets,
  getDataset: DatasetService.method.getDataset,
  deleteDataset: DatasetService.method.deleteDataset,
  listItems: ItemService.method.listItems,
  listJobs: JobService.method.listJobs,
  getJob: JobService.method.getJob,
  cancelJob: JobService.method.cancelJob,
  search: SearchService.method.search,
  createWorkspace: WorkspaceService.method.createWorkspace,
  listWorkspaces: WorkspaceService.method.listWorkspaces,
  createKey: WorkspaceService.method.createKey,
  listKeys: WorkspaceService.method.listKeys,
  revokeKey: WorkspaceService.method.revokeKey,
} as const;

export type MethodName = keyof typeof methods;
