/** Scopes of each role. Owners may also make, change and remove owners, and read the audit log. */
export const roleScopes = {
  owner: ["read", "write", "search", "admin"],
  admin: ["read", "write", "search", "admin"],
  member: ["read", "write", "search"],
  viewer: ["read", "search"],
} as const;

export type MemberRole = keyof typeof roleScopes;
