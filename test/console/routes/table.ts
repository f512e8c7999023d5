import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const consoleFolder = fileURLToPath(new URL("../../../console/", import.meta.url));
/** The source with the paths that the service answers with the page of the console. */
const served = fileURLToPath(new URL("../../../server/transport/endpoints/console.ts", import.meta.url));

/** An address of every kind that the console has. */
export interface Place {
  /** As the router has it. */
  readonly route: string;
  readonly path: string;
  /** The names of the buttons to press one after another, to open dialogs and menus. */
  readonly opens?: readonly (readonly string[])[];
}

const documentDialogs = ["Rename", "Edit metadata", "Expiry", "Delete"].map((name) => ["More", name]);

/** Ids on the server that the addresses contain. */
export interface Named {
  readonly datasetId: string;
  readonly webhookId: string;
}

export const placesOf = ({ datasetId, webhookId }: Named): readonly Place[] => [
  { route: "/", path: "/", opens: [["Filter"], ["Account and settings"]] },
  { route: "/search", path: "/search?q=tomatoes&where=year>=2020", opens: [["Filter"]] },
  {
    route: "/documents/:id/pages/:page",
    path: `/documents/${datasetId}/pages/1?q=tomatoes`,
    opens: [["Copy a link"], ["Download the page"]],
  },
  { route: "/documents", path: "/documents" },
  { route: "/documents/:id", path: `/documents/${datasetId}`, opens: documentDialogs },
  { route: "/upload", path: "/upload" },
  { route: "/admin", path: "/admin" },
  { route: "/admin/usage", path: "/admin/usage" },
  { route: "/admin/workspaces", path: "/admin/workspaces", opens: [["New workspace"]] },
  { route: "/admin/members", path: "/admin/members", opens: [["Invite"], ["Remove"]] },
  { route: "/admin/keys", path: "/admin/keys", opens: [["New key"], ["Rotate"], ["Revoke"]] },
  { route: "/admin/webhooks", path: "/admin/webhooks", opens: [["Add a webhook"]] },
  { route: "/admin/webhooks/:id", path: `/admin/webhooks/${webhookId}`, opens: [["Delete"]] },
  { route: "/admin/models", path: "/admin/models" },
  { route: "/admin/audit", path: "/admin/audit" },
  { route: "/admin/service", path: "/admin/service" },
  { route: "/admin/*", path: "/admin/nowhere" },
  { route: "/join", path: "/join" },
  { route: "/device", path: "/device" },
  { route: "/account", path: "/account", opens: [["End"]] },
  { route: "/design", path: "/design" },
  { route: "(none)", path: "/documents/nowhere/at/all" },
];

/** Reads the rules for themes in the style sheets, and conditions on the browser's theme. */
export function themeRules(): readonly string[] {
  const sheets = globSync("**/*.css", { cwd: consoleFolder, exclude: ["node_modules/**"] }).map((name) =>
    readFileSync(`${consoleFolder}${name}`, "utf8"),
  );
  const rules = sheets.flatMap(
    (sheet) => sheet.match(/[^{}]*(?:data-theme|prefers-color-scheme)[^{}]*\{[^}]*\}/g) ?? [],
  );
  return rules.map((rule) => rule.replaceAll(/\s+/g, " ").trim()).toSorted();
}

/** The routes in the sources: what is served, the areas of the shell, and what views have below them. */
export function routesInSources(): readonly string[] {
  const sources = globSync("**/*.{ts,tsx}", { cwd: consoleFolder, exclude: ["node_modules/**"] }).map((name) =>
    readFileSync(`${consoleFolder}${name}`, "utf8"),
  );
  const areas = sources.flatMap((source) => Array.from(source.matchAll(/\bpaths: \[([^\]]*)\]/g), ([, list]) => list));
  const inLists = areas.flatMap((list = "") => Array.from(list.matchAll(/"([^"]+)"/g), ([, path = ""]) => path));
  const below = sources.flatMap((source) =>
    Array.from(source.matchAll(/\bpath(?:=|: )"(\/[^"]*)"/g), ([, path = ""]) => path),
  );
  const [, views = ""] = /const views = \[([^\]]*)\]/.exec(readFileSync(served, "utf8")) ?? [];
  // Those with a slash at the end are places below the same ones without it.
  const answered = Array.from(views.matchAll(/"(\/|\/[^"]*[^"/])"/g), ([, path = ""]) => path);
  return [...new Set([...inLists, ...below, ...answered])].toSorted();
}
