import { type ReactElement, useId, useRef, useState } from "react";
import { copyText } from "../shell/browser.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";

export interface SecretProps {
  readonly label: string;
  readonly value: string;
}

/** A text to copy. It is selected if the browser does not let pages copy. */
export function Secret({ label, value }: SecretProps): ReactElement {
  const { common } = useTexts();
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
          {copied === true ? common.copied : common.copy}
        </Button>
      </div>
      {copied === false && <output className="field-hint">{common.copyFailed}</output>}
    </div>
  );
}
