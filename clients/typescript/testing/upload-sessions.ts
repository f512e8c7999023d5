import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { JobStatus, JobType } from "../gen/drs/v1/enums_pb.ts";
import { JobService } from "../gen/drs/v1/jobs_pb.ts";
import { UploadService } from "../gen/drs/v1/uploads_pb.ts";

/** A document that the test service has accepted. */
export interface TakenDocument {
  readonly way: "whole" | "parts";
  readonly fileName: string;
  readonly jobType: string;
  /** The other fields of the form. */
  readonly fields: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Undefined if not announced. */
  readonly contentLength: number | undefined;
}

export interface TestSession {
  readonly fileName: string;
  readonly jobType: string;
  readonly fileSize: number | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly parts: Map<number, { readonly partNumber: number; readonly etag: string; readonly bytes: Buffer }>;
  jobId?: string | undefined;
}

/** The fault of a request. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly error?: string }
  /** The connection breaks before the request is served, or after it. */
  | "break"
  | "break-after"
  /** There is never a response. */
  | "hang"
  | undefined;

/** Runs a request with an idempotency key once; repetitions get the same response. */
export type Once = (key: string | undefined, run: () => object) => object;

interface ServiceState {
  readonly once: Once;
  /** Records a request and returns its fault. */
  readonly meet: (request: string) => Fault;
  readonly taken: TakenDocument[];
  readonly sessions: Map<string, TestSession>;
}

/** The errors of the service by their HTTP status over REST. */
const faces: Readonly<Record<number, readonly [code: Code, kind: string]>> = {
  404: [Code.NotFound, "not_found"],
  413: [Code.ResourceExhausted, "too_large"],
  415: [Code.InvalidArgument, "unsupported"],
};

/** When sessions of the test service expire. */
const testExpiry = 1_900_000_000_000;

export function uploadRoutes({ meet, taken, sessions, once }: ServiceState): (router: ConnectRouter) => void {
  const check = (request: string): void => {
    const met = meet(request);
    if (typeof met !== "object") return;
    const [code, kind] = faces[met.status] ?? [Code.Unavailable, "unavailable"];
    throw new ConnectError(met.error ?? "a fault", code, { ...met.headers, "drs-error-kind": kind });
  };
  const sessionOf = (key: string): TestSession => {
    const session = sessions.get(key);
    if (session === undefined) throw new ConnectError(`there is no upload session ${key}`, Code.NotFound);
    return session;
  };

  return (router) => {
    router.service(JobService, { getJob: ({ id }) => ({ job: jobMessage(id) }) });
    router.service(UploadService, {
      startUpload({ fileName, jobType, fileExt, fileType, fileSize, expiryInDays }, { requestHeader }) {
        check("start");
        const answer = once(requestHeader.get("idempotency-key") ?? undefined, () => {
          const key = `tmp_${sessions.size + 1}`;
          const fields = { fileExt, fileType, expiryInDays: String(expiryInDays) };
          sessions.set(key, { fileName, jobType, fileSize, fields, parts: new Map() });
          return { upload: { key, expiresAt: testExpiry } };
        });
        check("started");
        return answer;
      },
      getUpload({ key }) {
        check("get");
        return { upload: uploadMessage(key, sessionOf(key)) };
      },
      listUploads({ offset, limit = 10 }) {
        const open = [...sessions].filter(([, { jobId }]) => jobId === undefined).toReversed();
        const data = open.map(([key, session]) => ({ ...uploadMessage(key, session), parts: [] }));
        return { total: open.length, data: data.slice(offset, offset + limit) };
      },
      endUpload({ key, parts }) {
        check("end");
        const session = sessionOf(key);
        const pieces = parts.map(({ partNumber, etag }) => {
          const part = session.parts.get(partNumber);
          if (part?.etag !== etag) throw new ConnectError(`part ${partNumber} has not come`, Code.InvalidArgument);
          return part.bytes;
        });
        if (session.jobId === undefined) {
          const { fileName, jobType, fields } = session;
          taken.push({
            way: "parts",
            fileName,
            jobType,
            fields,
            bytes: Buffer.concat(pieces),
            contentLength: undefined,
          });
          session.jobId = `dsj_${taken.length}`;
        }
        check("ended");
        return { job: jobMessage(session.jobId) };
      },
      abortUpload({ key }) {
        check("abort");
        sessionOf(key);
        sessions.delete(key);
        return {};
      },
    });
  };
}

function uploadMessage(key: string, { fileName, jobType, fileSize, parts, jobId }: TestSession) {
  const received = [...parts.values()].sort((one, other) => one.partNumber - other.partNumber);
  return {
    key,
    fileName,
    jobType,
    createdAt: 1,
    expiresAt: testExpiry,
    ...(fileSize === undefined ? {} : { fileSize }),
    receivedBytes: received.reduce((sum, { bytes }) => sum + bytes.length, 0),
    partCount: received.length,
    parts: received.map(({ partNumber, etag, bytes }) => ({ partNumber, etag, size: bytes.length })),
    ...(jobId === undefined ? {} : { jobId }),
  };
}

function jobMessage(id: string) {
  return { id, datasetId: id.replace("dsj", "ds"), type: JobType.EXTRACT, status: JobStatus.IN_PROGRESS, createdAt: 7 };
}
