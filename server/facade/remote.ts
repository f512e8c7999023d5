/** Fetching from URLs that users give: every hop is checked, and failures are sentences. */
export { DomainError } from "../domain/errors.ts";
export { createAllowedAddresses } from "../remote/allowed-addresses.ts";
export { connectionFailure } from "../remote/failures.ts";
export { follow } from "../remote/follow.ts";
export { checkedLookup } from "../remote/address.ts";
