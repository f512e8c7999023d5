import type { KeyScope } from "@drs/client";
import { type ComponentType, lazy } from "react";
import type { IconName } from "../design/icon.tsx";
import { SearchPage } from "../search/search-page.tsx";
import type { Texts } from "../texts/en.ts";

/** A part of the console with addresses of its own. */
export interface Area {
  /** Patterns of wouter, all shown by the same view. The first is where the navigation leads. */
  readonly paths: readonly [string, ...string[]];
  /** Loaded when it is first shown, but for what most come for. */
  readonly View: ComponentType;
  /** In the navigation; undefined: it is not there. */
  readonly link?: { readonly label: (texts: Texts) => string; readonly icon: IconName };
  /** Without it the area is neither shown nor linked. */
  readonly scope?: KeyScope;
}

export const areas: readonly Area[] = [
  { paths: ["/", "/search"], View: SearchPage, link: { label: ({ search }) => search.area, icon: "search" } },
  { paths: ["/documents/:id/pages/:page"], View: lazy(() => import("../viewer/viewer-page.tsx")) },
  {
    paths: ["/documents"],
    View: lazy(() => import("../documents/documents-page.tsx")),
    link: { label: ({ documents }) => documents.area, icon: "document" },
    scope: "read",
  },
  { paths: ["/documents/:id"], View: lazy(() => import("../documents/document-page.tsx")), scope: "read" },
  { paths: ["/upload"], View: lazy(() => import("../upload/upload-page.tsx")), scope: "write" },
  {
    paths: ["/admin", "/admin/*"],
    View: lazy(() => import("../admin/admin-page.tsx")),
    link: { label: ({ shell }) => shell.administration, icon: "settings" },
  },
  { paths: ["/account"], View: lazy(() => import("../account/account-page.tsx")) },
  { paths: ["/design"], View: lazy(() => import("../design/design-page.tsx")) },
];
