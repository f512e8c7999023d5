import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactElement, Suspense, useEffect, useState } from "react";
import { Router, useLocation } from "wouter";
import { Loading } from "../design/waiting.tsx";
import { Failure } from "../design/failure.tsx";
import { joinPath } from "../join/invitation.ts";
import { CodePage } from "../sign-in/code-page.tsx";
import { SignInPage } from "../sign-in/sign-in-page.tsx";
import { TextsProvider } from "../texts/texts.tsx";
import { Boundary } from "./boundary.tsx";
import { basePath, DrsProvider } from "./drs.tsx";
import { onOtherTabsSession } from "./page-session.ts";
import { createQueries } from "./queries.ts";
import { Me, useSession, useSessionChange } from "./session.tsx";
import { Shell } from "./shell.tsx";
import { useTheme } from "./theme.ts";
import { Toasts } from "./toasts.tsx";

const JoinPage = lazy(() => import("../join/join-page.tsx"));

interface AppProps {
  /** The sign-in code in the address. */
  readonly code: string | undefined;
  /** The invitation token in the address. */
  readonly invitation: string | undefined;
}

export function App({ code, invitation }: AppProps): ReactElement {
  const [queries] = useState(createQueries);
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
      <Shell />
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
