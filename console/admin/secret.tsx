import type { ReactElement, ReactNode } from "react";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Secret, type SecretProps } from "../design/secret.tsx";
import { useAdminTexts } from "./texts.ts";

interface SecretDialogProps extends SecretProps {
  readonly title: string;
  /** Explains what to do with the secret. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a secret until the dialog is closed. It is not stored anywhere. */
export function SecretDialog({ title, children, onClose, ...secret }: SecretDialogProps): ReactElement {
  const { common } = useAdminTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">
        <Secret {...secret} />
        <p className="notice">{common.shownOnce}</p>
        {children}
        <div className="row-end">
          <Button kind="primary" onClick={onClose}>
            {common.done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
