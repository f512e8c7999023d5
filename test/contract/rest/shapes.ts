import { expect } from "vitest";

/** Milliseconds since the epoch as a whole JSON number: a moment of this run. */
const startedAt = Date.now() - 60_000;
export const moment: unknown = expect.toSatisfy(
  (value: unknown) => Number.isInteger(value) && Number(value) > startedAt && Number(value) <= Date.now(),
  "a moment of this run in milliseconds",
);
const future: unknown = expect.toSatisfy(
  (value: unknown) => Number.isInteger(value) && Number(value) > Date.now(),
  "a moment to come in milliseconds",
);
const count: unknown = expect.toSatisfy((value: unknown) => Number.isInteger(value) && Number(value) >= 0, "a count");
const text: unknown = expect.any(String);

/** The fields of the contract's resources, all of them and no more; `toEqual` fails on one that is missing or new. */
export const job = {
  id: expect.stringMatching(/^dsj_\w+$/),
  datasetId: expect.stringMatching(/^ds_\w+$/),
  type: expect.stringMatching(/^datasets\/(?:extract|vectorize)$/),
  status: expect.stringMatching(/^(?:NOT_STARTED|IN_QUEUE|IN_PROGRESS|SUCCESS|ERROR)$/),
  statusText: null,
  startedAt: null,
  finishedAt: null,
  canceledAt: null,
  createdAt: moment,
  updatedAt: null,
  progress: { stage: text, pagesDone: count, pagesTotal: count },
  failures: [],
  warnings: [],
} as const;

export const succeededJob = {
  ...job,
  status: "SUCCESS",
  statusText: "",
  startedAt: moment,
  finishedAt: moment,
  updatedAt: moment,
} as const;

export const share = {
  url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/share\/dsx?_\w+\?token=[\w.-]+$/),
  token: expect.stringMatching(/^[\w.-]+$/),
  expiresAt: future,
} as const;

export const dataset = {
  id: expect.stringMatching(/^ds_\w+$/),
  workspaceId: expect.stringMatching(/^ws_\w+$/),
  type: "doc",
  itemCount: count,
  fileName: text,
  fileExt: "pdf",
  mimeType: "application/pdf",
  fileSize: count,
  createdAt: moment,
  updatedAt: moment,
  expiresAt: null,
  share,
  sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  metadata: {},
  searchable: expect.any(Boolean),
} as const;

export const item = {
  id: expect.stringMatching(/^dsx_\w+$/),
  datasetId: expect.stringMatching(/^ds_\w+$/),
  col: expect.toSatisfy((value: unknown) => Number.isInteger(value) && Number(value) >= 1, "a page number"),
  row: expect.stringMatching(/^(?:pdf|jpg|embedding_image)$/),
  createdAt: moment,
  share,
  fileName: text,
  pageCount: count,
} as const;

export const foundItem = {
  ...item,
  score: expect.toSatisfy((value: unknown) => Number(value) >= 0 && Number(value) <= 1, "a score"),
} as const;

export const workspace = {
  id: expect.stringMatching(/^ws_\w+$/),
  organisationId: expect.stringMatching(/^org_\w+$/),
  name: text,
  createdAt: moment,
} as const;

export const apiKey = {
  id: text,
  workspaceId: expect.stringMatching(/^ws_\w+$/),
  name: text,
  scopes: expect.any(Array),
  createdAt: moment,
  lastUsedAt: null,
  revokedAt: null,
  expiresAt: null,
  requestsPerMinute: null,
  filter: null,
} as const;

export const organisation = {
  id: expect.stringMatching(/^org_\w+$/),
  name: text,
  plan: "unlimited",
  createdAt: moment,
} as const;

export const planLimits = {
  maxUploadBytes: null,
  maxStorageBytes: null,
  maxRetentionDays: null,
  requestsPerMinute: null,
  concurrentJobs: null,
  maxPages: null,
} as const;

export const auditEvent = {
  id: expect.stringMatching(/^evt_\w+$/),
  at: moment,
  actor: text,
  action: text,
  target: text,
  workspaceId: text,
  details: text,
} as const;

export const member = {
  id: expect.stringMatching(/^mem_\w+$/),
  name: text,
  role: expect.stringMatching(/^(?:owner|admin|member|viewer)$/),
  createdAt: moment,
  lastUsedAt: null,
} as const;

export const invitation = {
  id: expect.stringMatching(/^inv_\w+$/),
  name: text,
  email: null,
  role: member.role,
  createdAt: moment,
  expiresAt: future,
} as const;

export const identity = {
  organisationId: organisation.id,
  workspaceId: workspace.id,
  keyId: text,
  memberId: text,
  scopes: expect.any(Array),
  role: null,
  isOperator: true,
  name: expect.any(String),
  organisationName: expect.any(String),
  workspaceName: "default",
  deviceName: null,
} as const;

/** The body of every error. */
export const failure = (code: string, error: unknown = text): object =>
  // Some have a next step as well; `rest-api.ts` holds every refusal to its exact fields.
  expect.objectContaining({ success: false, error, code, reason: expect.stringMatching(/^[A-Z_]+$/) });
