import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { IconButton } from "../design/button.tsx";
import { Tag } from "../design/surfaces.tsx";
import { useTexts } from "../texts/texts.tsx";
import { readPicture } from "./pictures.ts";
import type { Question } from "./question.ts";

interface AskedPictureProps {
  readonly question: Question;
  readonly onRemove: () => void;
}

/** The picture or page of the query. */
export function AskedPicture({ question: { pictureId, like }, onRemove }: AskedPictureProps): ReactElement | null {
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
