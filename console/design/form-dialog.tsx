import type { ReactElement, ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";
import { useTexts } from "../texts/texts.tsx";

interface FormDialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly submit: string;
  /** Whether the action cannot be undone. */
  readonly isDangerous?: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (form: FormData) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for the input of a change, or for confirmation. Shows the failure if the change fails. */
export function FormDialog(props: FormDialogProps): ReactElement {
  const { title, submit, isDangerous = false, isPending, error, onSubmit, onClose, children } = props;
  const { common } = useTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(new FormData(event.currentTarget));
        }}
      >
        {children}
        {error != null && <Failure error={error} />}
        <div className="row-end">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind={isDangerous ? "danger" : "primary"} disabled={isPending}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the trimmed text of a field; "" if there is none. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** Returns the number in a field; undefined if the field is empty. */
export function numberOf(form: FormData, name: string): number | undefined {
  const text = textOf(form, name);
  return text === "" ? undefined : Number(text);
}
