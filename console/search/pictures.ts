import { openDatabase, randomId, settled } from "../shell/browser.ts";

/** Pictures of queries are stored in this browser, so that going back and reloading find them. */
const databaseName = "drs-console";
const storeName = "pictures";
const maxKept = 20;
/** Larger pictures are shrunk: this size is enough to tell pages apart, and keeps requests small. */
const maxSidePixels = 1_024;

interface StoredPicture {
  readonly id: string;
  readonly picture: Blob;
  readonly keptAt: number;
}

/** Stores a picture and resolves with its id. Rejects if the browser cannot read it. */
export async function keepPicture(file: Blob): Promise<string> {
  const picture = await shrunk(file);
  const id = randomId();
  const store = await openStore("readwrite");
  await settled(store.put({ id, picture, keptAt: Date.now() } satisfies StoredPicture));
  const all = await settled<StoredPicture[]>(store.getAll());
  for (const old of all.toSorted((one, other) => other.keptAt - one.keptAt).slice(maxKept)) store.delete(old.id);
  return id;
}

/** Resolves with undefined if this browser does not have it, as when the address came from another browser. */
export async function readPicture(id: string): Promise<Blob | undefined> {
  const store = await openStore("readonly");
  return (await settled<StoredPicture | undefined>(store.get(id)))?.picture;
}

async function shrunk(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, maxSidePixels / Math.max(bitmap.width, bitmap.height));
  const canvas = new OffscreenCanvas(Math.ceil(bitmap.width * scale), Math.ceil(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws no pictures");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 });
}

async function openStore(mode: "readonly" | "readwrite"): Promise<IDBObjectStore> {
  const database = await openDatabase(databaseName, storeName);
  const transaction = database.transaction(storeName, mode);
  transaction.addEventListener("complete", () => database.close());
  return transaction.objectStore(storeName);
}
