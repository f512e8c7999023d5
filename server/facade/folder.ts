/** The owner of a data folder, its address, and the proof of ownership. Imports no store. */
export { isBusy } from "../storage/error-codes.ts";
export { type FolderAddress, type FolderOwner, readOwner } from "../storage/lock.ts";
export { type FolderLock, isLocked, lockDataDir, tryLockDataDir } from "../storage/lock.ts";
export { isProof, nonceBytes, proofHeader, proofPath } from "../storage/owner-proof.ts";
export { exposuresOf, makePrivateFile, modeText } from "../storage/private-folder.ts";
export { lackOf, missingInstructions, processorAdvice } from "../storage/processor.ts";
