import type { ReactElement, ReactNode } from "react";
import { FormDialog } from "../design/form-dialog.tsx";
import { useChange } from "./change.ts";
import { showToast } from "./toasts.tsx";

interface ConfirmProps {
  readonly title: string;
  /** The label of the button. */
  readonly submit: string;
  readonly run: () => Promise<unknown>;
  /** First parts of the keys of the queries to read again. */
  readonly stale: readonly string[];
  /** The toast shown when it is done. */
  readonly done: string;
  /** Default: `onClose`. */
  readonly onDone?: () => void;
  readonly onClose: () => void;
  /** Explains the consequences. */
  readonly children: ReactNode;
}

/** Asks for confirmation of an action that cannot be undone, and runs it. */
export function Confirm(props: ConfirmProps): ReactElement {
  const { title, submit, run, stale, done, onClose, onDone = onClose, children } = props;
  const change = useChange({
    run,
    stale,
    isShown: true,
    done() {
      showToast(done);
      onDone();
    },
  });
  return (
    <FormDialog
      title={title}
      submit={submit}
      isDangerous
      isPending={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate(undefined)}
      onClose={onClose}
    >
      <p>{children}</p>
    </FormDialog>
  );
}
