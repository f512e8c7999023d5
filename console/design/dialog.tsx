import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Toasts } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "./button.tsx";
import { Failure } from "./failure.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog that is open while it is rendered. The browser keeps the focus inside and restores it; Esc closes the dialog. */
export function Dialog({ title, onClose, children }: DialogProps): ReactElement {
  const { common } = useTexts();
  const titleId = useId();
  const element = useRef<HTMLDialogElement>(null);
  // Closed while still in the document, so that the focus returns.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="close" label={common.close} onClick={onClose} />
      </div>
      {children}
      <Toasts />
    </dialog>
  );
}

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
