import sharp from "sharp";

/** Width in pixels of the JPEG in a data URL. Throws if it is none. */
export async function widthOf(url: unknown): Promise<number> {
  const [, data] = /^data:image\/jpeg;base64,([\w+/]+=*)$/.exec(String(url)) ?? [];
  if (data === undefined) throw new Error(`no JPEG in a data URL: ${String(url).slice(0, 40)}`);
  return (await sharp(Buffer.from(data, "base64")).metadata()).width;
}
