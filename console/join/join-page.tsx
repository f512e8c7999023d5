import { DrsError, type InvitationOffer } from "@drs/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { Failure, useFailureText } from "../design/failure.tsx";
import { Field } from "../design/field.tsx";
import { Secret } from "../design/secret.tsx";
import { Loading } from "../design/waiting.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { PersonalMenu } from "../shell/menus.tsx";
import { useSession, useSessionChange } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";

interface JoinPageProps {
  /** Undefined if the address has none. */
  readonly token: string | undefined;
}

/** Shows an invitation, and lets its holder join. */
export default function JoinPage({ token }: JoinPageProps): ReactElement {
  const { join } = useTexts();
  return (
    <div className="entrance">
      <title>{`${join.title} · drs`}</title>
      <header className="entrance-top">
        <span className="wordmark">drs</span>
        <PersonalMenu />
      </header>
      {token === undefined ? <Closed title={join.missing}>{join.missingNext}</Closed> : <Invited token={token} />}
    </div>
  );
}

function Invited({ token }: { readonly token: string }): ReactElement {
  const { join } = useTexts();
  const drs = useDrs();
  const begin = useMutation({ mutationFn: async (personal: string) => drs.sessions.begin(personal) });
  const accept = useMutation({
    mutationFn: async (name: string) => drs.acceptInvitation({ token, name }),
    onSuccess: (joined) => begin.mutate(joined.token),
    meta: { isShown: true },
  });
  const offer = useQuery({
    queryKey: ["invitation", token],
    queryFn: async ({ signal }) => drs.showInvitation(token, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const error = accept.error ?? offer.error;
  if (error instanceof DrsError && error.code === "permission_denied") {
    return <Closed title={join.invalid}>{join.invalidNext}</Closed>;
  }
  if (offer.data === undefined) {
    return (
      <main className="entrance-main">
        {offer.error ? (
          <>
            <h1 className="entrance-title">{join.title}</h1>
            <Failure error={offer.error} onRetry={() => void offer.refetch()} />
          </>
        ) : (
          <Loading />
        )}
      </main>
    );
  }
  return (
    <main className="entrance-main">
      <Offer {...offer.data} />
      {accept.data === undefined ? (
        <NameForm
          name={offer.data.name}
          isPending={accept.isPending}
          error={accept.error}
          onSubmit={(name) => accept.mutate(name)}
        />
      ) : (
        <Joined
          token={accept.data.token}
          isPending={begin.isPending}
          error={begin.error}
          onRetry={() => begin.mutate(accept.data.token)}
        />
      )}
    </main>
  );
}

function Offer({ organisationName, role, expiresAt }: InvitationOffer): ReactElement {
  const { account, join } = useTexts();
  const formats = useFormats();
  const { data: me } = useSession();
  return (
    <div className="stack">
      <h1 className="entrance-title">{join.to(organisationName)}</h1>
      <p>{join.as(account.roles[role], join.roleMeans[role])}</p>
      <p className="quiet">{join.until(formats.time(expiresAt))}</p>
      {me && <p className="notice">{join.replaces}</p>}
    </div>
  );
}

interface NameFormProps {
  /** The name of the invited person. */
  readonly name: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSubmit: (name: string) => void;
}

function NameForm({ name, isPending, error, onSubmit }: NameFormProps): ReactElement {
  const { join } = useTexts();
  const failureText = useFailureText();
  return (
    <form
      className="card stack"
      action={(form) => {
        const typed = form.get("name");
        onSubmit(typeof typed === "string" ? typed.trim() : "");
      }}
    >
      <Field
        label={join.name}
        hint={join.nameHint}
        error={error === null ? undefined : failureText(error)}
        name="name"
        defaultValue={name}
        autoComplete="name"
        maxLength={128}
        required
      />
      <Button kind="primary" type="submit" disabled={isPending}>
        {join.submit}
      </Button>
    </form>
  );
}

interface JoinedProps {
  /** The personal token. */
  readonly token: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onRetry: () => void;
}

/** Shows the personal token, which happens only once. */
function Joined({ token, isPending, error, onRetry }: JoinedProps): ReactElement {
  const { join } = useTexts();
  const changeSession = useSessionChange();
  const [, navigate] = useLocation();
  return (
    <div className="card stack">
      <output>{join.joined}</output>
      <Secret label={join.token} value={token} />
      <p className="notice">{join.tokenNext}</p>
      {error && <Failure error={error} onRetry={onRetry} />}
      <Button
        kind="primary"
        disabled={isPending || error !== null}
        onClick={() => {
          navigate("/", { replace: true });
          void changeSession();
        }}
      >
        {join.goOn}
      </Button>
    </div>
  );
}

function Closed({ title, children }: { readonly title: string; readonly children: string }): ReactElement {
  const { join } = useTexts();
  return (
    <main className="entrance-main">
      <div className="stack">
        <h1 className="entrance-title">{title}</h1>
        <p role="alert">{children}</p>
        <p>
          <Link className="button" href="/">
            {join.toSignIn}
          </Link>
        </p>
      </div>
    </main>
  );
}
