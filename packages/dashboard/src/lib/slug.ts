/** The short name of an organization, which commands and requests use. */

const format = /^[a-z0-9][a-z0-9-]{0,62}$/

export function isSlug(text: string): boolean {
  return format.test(text)
}

/** A slug made from a name; empty if nothing of the name can be in one. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-|-$/g, '')
}
