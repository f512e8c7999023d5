import { expect, test } from "vitest";
import type { Domain } from "../../domain/domain.ts";
import { creations } from "../services/creations.ts";
import { lasting, accessOf } from "./gate.ts";
import { services } from "../services/index.ts";

test("every method that returns a new secret grants lasting access", () => {
  const withSecret = [...creations({} as Domain)].filter(([, { hasSecret }]) => hasSecret).map(([{ name }]) => name);
  expect(withSecret).not.toEqual([]);
  expect([...lasting].map(({ name }) => name)).toEqual(expect.arrayContaining(withSecret));
});

test("every method of every service has one scope, or is open on purpose", () => {
  const methods = services.flatMap(({ typeName, methods }) =>
    methods.map((method) => ({ name: `${typeName.replace("drs.v1.", "")}/${method.name}`, access: accessOf(method) })),
  );
  const byAccess = Object.groupBy(methods, ({ access }) => access);
  // Whether a method needs read or write is obvious; the methods below deserve a second thought.
  expect(byAccess.public?.map(({ name }) => name)).toEqual([
    "DeviceService/StartDevice",
    "DeviceService/PollDevice",
    "MemberService/ShowInvitation",
    "MemberService/AcceptInvitation",
    "SessionService/SignIn",
    "SessionService/GetSignInWays",
    "ShareService/ReadShare",
  ]);
  expect(byAccess.any?.map(({ name }) => name)).toEqual([
    "DeviceService/GetDevice",
    "DeviceService/ApproveDevice",
    "DeviceService/DenyDevice",
    "MemberService/WhoAmI",
    "MemberService/ListTokens",
    "MemberService/EndToken",
    "MemberService/SignOut",
    "SessionService/ListSessions",
    "SessionService/EndSession",
    "SessionService/ListIdentities",
    "SessionService/LinkIdentity",
    "SessionService/UnlinkIdentities",
    "SessionService/CreateSignInCode",
    "UsageService/GetUsage",
  ]);
  expect(byAccess.search?.map(({ name }) => name)).toEqual(["SearchService/Search", "SearchService/SearchMany"]);
  const administration = [
    "LinkService",
    "MemberService",
    "ModelService",
    "OrganisationService",
    "WebhookService",
    "WorkspaceService",
  ];
  const ofAdministration = methods.filter(({ name }) => administration.includes(name.split("/")[0] ?? ""));
  expect(byAccess.admin).toEqual(ofAdministration.filter(({ access }) => access !== "public" && access !== "any"));
});

test("a method that does not say who may call it is not served", () => {
  const [service] = services;
  const [method] = service?.methods ?? [];
  if (method === undefined) throw new Error("there are no services");
  const silent = { ...method, proto: { ...method.proto, options: undefined } };
  expect(() => accessOf(silent)).toThrow("does not say who may call it");
});
