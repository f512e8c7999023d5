import { type ReactElement, useRef } from "react";
import { Button } from "../design/button.tsx";
import { useTexts } from "../texts/texts.tsx";
import { pickedOfInput } from "./picked-files.ts";
import { useAdd } from "./use-uploads.ts";

/** Buttons to choose files, or a folder with everything in it. */
export function FileButtons(): ReactElement {
  const { upload } = useTexts();
  return (
    <div className="row">
      <FileButton label={upload.chooseFiles} kind="primary" />
      <FileButton label={upload.chooseFolder} isFolder />
    </div>
  );
}

interface FileButtonProps {
  readonly label: string;
  readonly kind?: "default" | "primary";
  readonly isFolder?: boolean;
}

export function FileButton({ label, kind = "default", isFolder = false }: FileButtonProps): ReactElement {
  const add = useAdd();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind={kind} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={(element) => {
          input.current = element;
          if (element !== null) element.webkitdirectory = isFolder;
        }}
        type="file"
        hidden
        multiple
        onChange={({ target }) => {
          add(pickedOfInput([...(target.files ?? [])]));
          target.value = "";
        }}
      />
    </>
  );
}
