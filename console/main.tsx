import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactElement, Suspense, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Router, useLocation } from "wouter";
import { Failure } from "./design/failure.tsx";
import { Loading } from "./design/waiting.tsx";
import { joinPath, takeInvitation } from "./join/invitation.ts";
import { SearchField } from "./search/search-field.tsx";
import { SearchPage } from "./search/search-page.tsx";
import { Boundary } from "./shell/boundary.tsx";
import { basePath, DrsProvider } from "./shell/drs.tsx";
import { onOtherTabsSession, takePageSecret } from "./shell/page-session.ts";
import { createQueries } from "./shell/queries.ts";
import { Me, useSession, useSessionChange } from "./shell/session.tsx";
import { type Area, Shell } from "./shell/shell.tsx";
import { useTheme } from "./shell/preferences.ts";
import { Toasts } from "./shell/toasts.tsx";
import { CodePage, takeCode } from "./sign-in/code-page.tsx";
import { askToSignInAgain, SignInAgain } from "./sign-in/sign-in-again.tsx";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { TextsProvider } from "./texts/texts.tsx";

const JoinPage = lazy(() => import("./join/join-page.tsx"));
/** Loaded later: the first view needs no upload code. */
const DropZone = lazy(() => import("./upload/drop-zone.tsx"));

/** The views of the console. All but the search are loaded when first shown. */
const areas: readonly Area[] = [
  { paths: ["/", "/search"], View: SearchPage, link: { label: ({ search }) => search.area, icon: "search" } },
  { paths: ["/documents/:id/pages/:page"], View: lazy(() => import("./viewer/viewer-page.tsx")) },
  {
    paths: ["/documents"],
    View: lazy(() => import("./documents/documents-page.tsx")),
    link: { label: ({ documents }) => documents.area, icon: "document" },
    scope: "read",
  },
  { paths: ["/documents/:id"], View: lazy(() => import("./documents/document-page.tsx")), scope: "read" },
  { paths: ["/upload"], View: lazy(() => import("./upload/upload-page.tsx")), scope: "write" },
  {
    paths: ["/admin", "/admin/*"],
    View: lazy(() => import("./admin/admin-page.tsx")),
    link: { label: ({ shell }) => shell.administration, icon: "settings" },
  },
  { paths: ["/device"], View: lazy(() => import("./device/device-page.tsx")) },
  { paths: ["/account"], View: lazy(() => import("./account/account-page.tsx")) },
  { paths: ["/design"], View: lazy(() => import("./design/design-page.tsx")) },
];

interface AppProps {
  /** The sign-in code in the address. */
  readonly code: string | undefined;
  /** The invitation token in the address. */
  readonly invitation: string | undefined;
}

function App({ code, invitation }: AppProps): ReactElement {
  const [queries] = useState(() => createQueries(askToSignInAgain));
  return (
    <TextsProvider>
      <QueryClientProvider client={queries}>
        <DrsProvider>
          <Router base={basePath}>
            <Boundary>
              <Suspense fallback={<Loading />}>
                <Entrance code={code} invitation={invitation} />
              </Suspense>
            </Boundary>
            <Toasts />
          </Router>
        </DrsProvider>
      </QueryClientProvider>
    </TextsProvider>
  );
}

/** Shows the page of an invitation, the console to people who are signed in, and the sign-in to all others. */
function Entrance({ code, invitation }: AppProps): ReactElement {
  useTheme();
  const [end, setEnd] = useState<"accepted" | "declined" | "refused">();
  const [location] = useLocation();
  if (location === joinPath) return <JoinPage token={invitation} />;
  if (code !== undefined && end === undefined) return <CodePage code={code} onEnd={setEnd} />;
  return <Views isCodeRefused={end === "refused"} />;
}

function Views({ isCodeRefused }: { readonly isCodeRefused: boolean }): ReactElement {
  const { data: me, error, refetch } = useSession();
  const changeSession = useSessionChange();
  useEffect(() => onOtherTabsSession(() => void changeSession()), [changeSession]);
  if (me === null) return <SignInPage isCodeRefused={isCodeRefused} />;
  if (me === undefined) return error ? <Unreached error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <Me value={me}>
      <Shell areas={areas} search={<SearchField />}>
        <SignInAgain />
        {me.scopes.includes("write") && (
          <Suspense>
            <DropZone />
          </Suspense>
        )}
      </Shell>
    </Me>
  );
}

/** Shown if the service cannot say who is signed in. */
function Unreached(failure: { readonly error: Error; readonly onRetry: () => void }): ReactElement {
  return (
    <main className="content stack">
      <h1>drs</h1>
      <Failure {...failure} />
    </main>
  );
}

const root = document.getElementById("console");
if (root === null) throw new Error("the page has no place for the console");
takePageSecret();
createRoot(root).render(<App code={takeCode()} invitation={takeInvitation()} />);
