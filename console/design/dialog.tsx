import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Toasts } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "./button.tsx";

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
