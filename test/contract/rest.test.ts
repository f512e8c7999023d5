import { afterAll, beforeAll } from "vitest";
import { administrationCases } from "./rest/administration.ts";
import { answerCases } from "./rest/answers.ts";
import { createRestClient } from "./rest/client.ts";
import { eventCases } from "./rest/events.ts";
import { linkCases } from "./rest/links.ts";
import { refusalCases } from "./rest/refusals.ts";
import { requestCases } from "./rest/requests.ts";
import { serviceCases } from "./rest/service.ts";
import { interfaceCases } from "./rest/interface.ts";
import { strictCases } from "./rest/strict.ts";
import { uploadSessionCases } from "./rest/upload-sessions.ts";
import { uploadCases } from "./rest/uploads.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

const rest = createRestClient(() => world);
answerCases(rest);
administrationCases(rest);
requestCases(rest);
uploadCases(rest);
uploadSessionCases(rest);
refusalCases(rest);
eventCases(rest);
linkCases(rest);
serviceCases(rest);
interfaceCases(rest);
strictCases(rest);
