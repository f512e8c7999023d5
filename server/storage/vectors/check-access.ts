import { unsupported } from "../../domain/errors.ts";
import type { VectorStore } from "../../domain/ports/vector-store.ts";
import { storageFaultOf } from "../../domain/storage-fault.ts";

/**
 * Checks that a remote vector store can be used; LanceDB itself would find out only at the first use. Throws
 * `unsupported` with the setting to fix; its cause has the store's own message, which takes many lines.
 */
export async function checkVectorAccess(vectors: Pick<VectorStore, "ping">): Promise<void> {
  try {
    await vectors.ping();
  } catch (cause) {
    const place = "the vector store in --vector-url (DRS_VECTOR_URL)";
    if (storageFaultOf(cause) === "refused") {
      throw unsupported(
        `${place} does not let the server in; check that the bucket is there, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and their rights`,
      );
    }
    if (storageFaultOf(cause) === "unreachable") {
      throw unsupported(`${place} does not answer; check its address, AWS_ENDPOINT_URL and whether it runs`);
    }
    throw cause;
  }
}
