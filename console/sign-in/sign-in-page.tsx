import { DrsError } from "@drs/client";
import { useMutation } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../design/button.tsx";
import { useFailureText } from "../design/failure.tsx";
import { Field } from "../design/field.tsx";
import { useDrs } from "../shell/drs.tsx";
import { PersonalMenu } from "../shell/menus.tsx";
import { useSessionChange } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";
import { FoundingLink, ProviderLink, useRefusal, useSignInWays } from "./ways.tsx";

interface SignInPageProps {
  /** Whether the address had a code that was refused. */
  readonly isCodeRefused: boolean;
}

/** Introduces the service, and signs people in. */
export function SignInPage({ isCodeRefused }: SignInPageProps): ReactElement {
  const { signIn } = useTexts();
  const drs = useDrs();
  const failureText = useFailureText();
  const ways = useSignInWays();
  const oidc = ways?.oidc ?? null;
  const changeSession = useSessionChange();
  const begin = useMutation({
    mutationFn: async (credential: string) => drs.sessions.begin(credential),
    onSuccess: changeSession,
    meta: { isShown: true },
  });
  const [parameters] = useSearchParams();
  const isInvited = parameters.get("error") === "invited";
  const reason = useRefusal();
  const refused = begin.isIdle ? (isCodeRefused ? signIn.codeExpired : reason) : undefined;
  return (
    <div className="entrance">
      <header className="entrance-top">
        <span className="wordmark">drs</span>
        <PersonalMenu />
      </header>
      <main className="entrance-main">
        <div className="stack">
          <h1 className="entrance-title">{signIn.title}</h1>
          <p className="quiet">{signIn.about}</p>
        </div>
        <form
          className="card stack"
          action={(form) => {
            const credential = form.get("credential");
            if (typeof credential === "string" && credential.trim() !== "") begin.mutate(credential.trim());
          }}
        >
          {oidc && <ProviderLink {...oidc} />}
          {refused !== undefined && (
            <p className="failure" role="alert">
              {refused}
            </p>
          )}
          {oidc && isInvited && ways?.signUp === true && <FoundingLink {...oidc} />}
          <Field
            label={signIn.credential}
            hint={signIn.hint}
            error={begin.error === null ? undefined : isRefused(begin.error) ? signIn.wrong : failureText(begin.error)}
            name="credential"
            type="password"
            autoComplete="current-password"
            required
            spellCheck={false}
          />
          <Button kind={oidc === null ? "primary" : "default"} type="submit" disabled={begin.isPending}>
            {signIn.submit}
          </Button>
        </form>
      </main>
    </div>
  );
}

const isRefused = (error: Error): boolean => error instanceof DrsError && error.code === "permission_denied";
