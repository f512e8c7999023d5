/** Opens a browser database with one store, whose objects are keyed by their `id`. Rejects if the browser stores nothing. */
export async function openDatabase(name: string, store: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(store, { keyPath: "id" }));
  return settled(request);
}

export async function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("the browser's database failed")));
  });
}
