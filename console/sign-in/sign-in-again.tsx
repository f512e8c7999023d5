import { useMutation } from "@tanstack/react-query";
import { type ReactElement, useSyncExternalStore } from "react";
import { Field } from "../design/field.tsx";
import { FormDialog, textOf } from "../design/dialog.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useSessionChange } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ProviderLink, useSignInWays } from "./ways.tsx";

let isAsked = false;
const listeners = new Set<() => void>();

/** Shows the dialog. The service refuses actions that give lasting access until the person has signed in again. */
export function askToSignInAgain(): void {
  set(true);
}

function set(next: boolean): void {
  isAsked = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Rendered once per page. */
export function SignInAgain(): ReactElement | null {
  return useSyncExternalStore(subscribe, () => isAsked) ? <Asking /> : null;
}

function Asking(): ReactElement {
  const { signIn } = useTexts();
  const drs = useDrs();
  const oidc = useSignInWays()?.oidc ?? null;
  const changeSession = useSessionChange();
  const begin = useMutation({
    mutationFn: async (credential: string) => drs.sessions.begin(credential),
    async onSuccess() {
      set(false);
      showToast(signIn.againDone);
      await changeSession();
    },
    meta: { isShown: true },
  });
  return (
    <FormDialog
      title={signIn.again}
      submit={signIn.submit}
      isPending={begin.isPending}
      error={begin.error}
      onSubmit={(form) => begin.mutate(textOf(form, "credential"))}
      onClose={() => set(false)}
    >
      <p>{signIn.againAbout}</p>
      {oidc && <ProviderLink {...oidc} />}
      <Field
        label={signIn.credential}
        name="credential"
        type="password"
        autoComplete="current-password"
        required
        spellCheck={false}
      />
    </FormDialog>
  );
}
