import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { FormDialog } from "../design/dialog.tsx";
import { showToast } from "./toasts.tsx";

interface Change<Input, Result> {
  readonly run: (input: Input) => Promise<Result>;
  /** First parts of the keys of the queries to read again. */
  readonly stale: readonly string[];
  readonly done?: (result: Result, input: Input) => void;
  /** Whether the view shows a failure itself, as dialogs do. By default a toast shows it. */
  readonly isShown?: boolean;
}

/** Runs a change, then reads stale data again. */
export function useChange<Input, Result>({
  run,
  stale,
  done,
  isShown = false,
}: Change<Input, Result>): UseMutationResult<Result, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    meta: { isShown },
    async onSuccess(result, input) {
      done?.(result, input);
      await Promise.all(stale.map((name) => queries.invalidateQueries({ queryKey: [name] })));
    },
  });
}

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
