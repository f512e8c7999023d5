import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Loading } from "../design/waiting.tsx";
import { useDrs } from "../shell/drs.tsx";
import { PersonalMenu } from "../shell/menus.tsx";
import { useSession, useSessionChange } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";

interface CodePageProps {
  readonly code: string;
  /** Called when the person has signed in, has declined, or was refused. */
  readonly onEnd: (end: "accepted" | "declined" | "refused") => void;
}

/**
 * Asks before a code in the address signs this browser in: another site may have led here with an attacker's code, to receive the
 * next upload.
 */
export function CodePage({ code, onEnd }: CodePageProps): ReactElement {
  const { signIn, common } = useTexts();
  const drs = useDrs();
  const { data: me } = useSession();
  const changeSession = useSessionChange();
  const offer = useQuery({
    queryKey: ["me", "sign-in", code],
    queryFn: async ({ signal }) => drs.sessions.preview(code, { signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const begin = useMutation({
    mutationFn: async () => drs.sessions.begin(code),
    async onSuccess() {
      await changeSession();
      onEnd("accepted");
    },
    meta: { isShown: true },
  });
  return (
    <div className="entrance">
      <header className="entrance-top">
        <span className="wordmark">drs</span>
        <PersonalMenu />
      </header>
      <main className="entrance-main">
        <h1 className="entrance-title">{signIn.title}</h1>
        {offer.error ? (
          <div className="card stack">
            <p className="failure" role="alert">
              {signIn.codeExpired}
            </p>
            <Button onClick={() => onEnd("refused")}>{common.close}</Button>
          </div>
        ) : offer.data === undefined ? (
          <Loading />
        ) : (
          <div className="card stack">
            <h2>{signIn.codeAsks(nameOf(offer.data.name, signIn.aKey), offer.data.organisationName)}</h2>
            <p>{signIn.codeAbout}</p>
            {me && <p className="notice">{signIn.codeReplaces(nameOf(me.name, signIn.aKey), me.organisationName)}</p>}
            {begin.error && <Failure error={begin.error} />}
            <div className="row">
              <Button kind="primary" disabled={begin.isPending} onClick={() => begin.mutate()}>
                {signIn.submit}
              </Button>
              <Button onClick={() => onEnd("declined")}>{common.cancel}</Button>
            </div>
          </div>
        )}
      </main>
    </div>
  );
}

const nameOf = (name: string, unnamed: string): string => (name === "" ? unnamed : name);

const marker = "#code=";

/** Returns the single-use code in the address, and removes it from there; undefined if there is none. */
export function takeCode(): string | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(marker)) return undefined;
  history.replaceState(null, "", `${pathname}${search}`);
  return new URLSearchParams(hash.slice(1)).get("code") ?? "";
}
