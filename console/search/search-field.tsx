import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { IconButton } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { Tag } from "../design/surfaces.tsx";
import { isWritten } from "../design/field.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { keepPicture, readPicture } from "./pictures.ts";
import { addressOf, type Question, readQuestion } from "./question.ts";

/** The search field of every view: for words, a picture that is pasted, dropped or chosen, or both. `/` focuses it. */
export function SearchField(): ReactElement {
  const { search } = useTexts();
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const question = readQuestion(parameters);
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  useFocusBySlash(input);

  const ask = (changed: Partial<Question>): void => {
    const words = input.current?.value.trim() ?? "";
    const asked = addressOf({ ...question, words, ...changed });
    navigate(asked);
  };
  const askWith = async (files: FileList | null | undefined): Promise<boolean> => {
    const file = [...(files ?? [])].find(({ type }) => type.startsWith("image/"));
    if (file === undefined) return false;
    try {
      ask({ pictureId: await keepPicture(file), like: undefined });
    } catch {
      showToast(search.pictureUnreadable);
    }
    return true;
  };

  return (
    <search>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the button in it chooses a picture too */}
      <form
        className={isOver ? "search-field search-field-over" : "search-field"}
        onSubmit={(event) => {
          event.preventDefault();
          ask({});
        }}
        onPaste={({ clipboardData }) => void askWith(clipboardData.files)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void askWith(event.dataTransfer.files).then((isPicture) => {
            if (!isPicture) showToast(search.pictureUnreadable);
          });
        }}
      >
        <Icon name="search" />
        <QueryPicture question={question} onRemove={() => ask({ pictureId: undefined, like: undefined })} />
        <input
          ref={input}
          key={question.words}
          className="search-input"
          type="search"
          name="q"
          defaultValue={question.words}
          placeholder={search.placeholder}
          aria-label={search.placeholder}
          autoComplete="off"
          enterKeyHint="search"
        />
        <PictureButton onFiles={askWith} />
        <kbd aria-hidden="true">/</kbd>
      </form>
    </search>
  );
}

interface PictureButtonProps {
  readonly onFiles: (files: FileList | null) => Promise<unknown>;
}

function PictureButton({ onFiles }: PictureButtonProps): ReactElement {
  const { search } = useTexts();
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="picture" label={search.choosePicture} onClick={() => chooser.current?.click()} />
      <input
        ref={chooser}
        type="file"
        accept="image/*"
        hidden
        aria-label={search.choosePicture}
        onChange={({ currentTarget }) => {
          void onFiles(currentTarget.files).then(() => {
            currentTarget.value = "";
          });
        }}
      />
    </>
  );
}

/** Focuses the field on `/`, unless the person is typing or a dialog is open. */
function useFocusBySlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isWritten(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [input]);
}

interface QueryPictureProps {
  readonly question: Question;
  readonly onRemove: () => void;
}

/** The picture or page of the query. */
function QueryPicture({ question: { pictureId, like }, onRemove }: QueryPictureProps): ReactElement | null {
  const { search } = useTexts();
  const { data } = useQuery({
    queryKey: ["picture", pictureId],
    queryFn: async () => (await readPicture(pictureId ?? "")) ?? null,
    enabled: pictureId !== undefined,
  });
  if (pictureId === undefined && like === undefined) return null;
  return (
    <>
      {data ? (
        <Picture picture={data} />
      ) : (
        <Tag tone="accent">{like ? search.likePage(like.page) : search.picture}</Tag>
      )}
      <IconButton icon="close" label={search.removePicture} onClick={onRemove} />
    </>
  );
}

function Picture({ picture }: { readonly picture: Blob }): ReactElement {
  const { search } = useTexts();
  const load = (image: HTMLImageElement): (() => void) => {
    const url = URL.createObjectURL(picture);
    image.src = url;
    return () => URL.revokeObjectURL(url);
  };
  return <img ref={load} className="search-picture" alt={search.picture} />;
}
