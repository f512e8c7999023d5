import type { KeyScope } from "@drs/client";
import { type ComponentType, lazy } from "react";
import type { IconName } from "../design/icon.tsx";
import { SearchPage } from "../search/search-page.tsx";
import type { Texts } from "../texts/en.ts";

/** A part of the console with its own addresses. */
export interface Area {
  /** Patterns of wouter, all shown by the same view. The navigation links to the first. */
  readonly paths: readonly [string, ...string[]];
  /** Loaded when first shown, except for the search. */
  readonly View: ComponentType;
  /** The link in the navigation, if there is one. */
  readonly link?: { readonly label: (texts: Texts) => string; readonly icon: IconName };
  /** The scope without which the area is neither shown nor linked. */
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
  { paths: ["/device"], View: lazy(() => import("../device/device-page.tsx")) },
  { paths: ["/account"], View: lazy(() => import("../account/account-page.tsx")) },
  { paths: ["/design"], View: lazy(() => import("../design/design-page.tsx")) },
];
