/** Claims of the JSON Web Tokens of identity providers. */

export type Claims = Readonly<Record<string, unknown>>

/** Returns the claim of that name, such as `https://example.com/groups`, or else at that dotted path. Reads own properties only. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path
    .split('.')
    .reduce<unknown>(
      (at, part) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, part) ? (at as Claims)[part] : undefined,
      claims,
    )
}
