import type { JsonObject } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { bodyOf, objectAt } from "./answers.ts";
import type { Api, MethodName, Upload } from "./api.ts";
import { onePage, type World } from "./world.ts";

/** A request may name things of the world, which exists only when the test runs. */
export type Request = JsonObject | ((world: World) => JsonObject);

/** The environment of the cases of one protocol. `api` and `world` exist only while a test runs. */
export interface Scene {
  readonly protocol: string;
  readonly api: Api;
  readonly world: World;
  requestOf(request: Request): JsonObject;
  /** The call must fail with this code and a sentence that fits. */
  refused(method: MethodName, request: Request, code: string, message: RegExp): Promise<void>;
  /** The job of an upload that must be accepted. */
  uploaded(method: "extract" | "vectorize", upload?: Upload): Promise<JsonObject>;
  /** All states of a job until its stream ends. */
  watched(id: string, afterRevision?: string): Promise<readonly JsonObject[]>;
  /** The last state of the job. */
  finished(job: JsonObject): Promise<JsonObject>;
}

export function createScene(protocol: string, worldNow: () => World): Scene {
  const apiNow = (): Api => {
    const found = worldNow().apis.find((candidate) => candidate.protocol === protocol);
    if (found === undefined) throw new Error(`no face for ${protocol}`);
    return found;
  };
  const requestOf = (request: Request): JsonObject => (typeof request === "function" ? request(worldNow()) : request);

  async function watched(id: string, afterRevision?: string): Promise<readonly JsonObject[]> {
    const outcome = await apiNow().watch(id, afterRevision === undefined ? {} : { afterRevision });
    if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
    return outcome.states;
  }

  return {
    protocol,
    get api() {
      return apiNow();
    },
    get world() {
      return worldNow();
    },
    requestOf,
    async refused(method, request, code, message) {
      const outcome = await apiNow().call(method, requestOf(request));
      expect(outcome).toMatchObject({ ok: false, code, message: expect.stringMatching(message) });
    },
    async uploaded(method, upload = { file: onePage, fileName: "one.pdf" }) {
      return objectAt(bodyOf(await apiNow().upload(method, upload)), "job");
    },
    watched,
    async finished(job) {
      const states = await watched(String(job["id"]));
      return objectAt(states.at(-1) ?? {}, "job");
    },
  };
}
