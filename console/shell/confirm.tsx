import type { ReactElement, ReactNode } from "react";
import { FormDialog } from "../design/form-dialog.tsx";
import { useChange } from "./change.ts";
import { showToast } from "./toasts.tsx";

interface ConfirmProps {
  readonly title: string;
  /** What the button does. */
  readonly submit: string;
  readonly run: () => Promise<unknown>;
  /** The first parts of the keys of what is read again. */
  readonly stale: readonly string[];
  /** Said when it is done. */
  readonly done: string;
  /** Default: `onClose`. */
  readonly onDone?: () => void;
  readonly onClose: () => void;
  /** What follows from it. */
  readonly children: ReactNode;
}

/** Asks whether something is meant that cannot be taken back, and does it. */
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
