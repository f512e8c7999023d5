import type { ReactElement, ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";
import { useTexts } from "../texts/texts.tsx";

interface FormDialogProps {
  readonly title: string;
  /** What the button does that submits. */
  readonly submit: string;
  /** What is done cannot be taken back. */
  readonly isDangerous?: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (form: FormData) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for what a change needs, or whether it is meant; a failure is shown in it. */
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

/** Of a field with one line of text, without spaces around it; "" where there is none. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** Of a field for a number; undefined where it is empty. */
export function numberOf(form: FormData, name: string): number | undefined {
  const text = textOf(form, name);
  return text === "" ? undefined : Number(text);
}
