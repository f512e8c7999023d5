import { type ReactElement, type ReactNode, useId, useRef, useState } from "react";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { copyText } from "../shell/clipboard.ts";
import { useTexts } from "../texts/texts.tsx";
import { useAdminTexts } from "./texts.ts";

interface SecretProps {
  readonly label: string;
  readonly value: string;
}

/** A text that is to be copied; it is selected where the browser lets no page copy. */
function Secret({ label, value }: SecretProps): ReactElement {
  const { common } = useAdminTexts();
  const { common: all } = useTexts();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<boolean>();
  const copy = async (): Promise<void> => {
    const isDone = await copyText(value);
    setCopied(isDone);
    if (!isDone) input.current?.select();
  };
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="secret">
        <input ref={input} id={id} className="input" readOnly value={value} spellCheck={false} />
        <Button icon={copied === true ? "check" : "copy"} onClick={() => void copy()}>
          {copied === true ? all.copied : common.copy}
        </Button>
      </div>
      {copied === false && <output className="field-hint">{common.copyFailed}</output>}
    </div>
  );
}

interface SecretDialogProps extends SecretProps {
  readonly title: string;
  /** What to do with it. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a secret until it is closed; nothing keeps it afterwards. */
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
