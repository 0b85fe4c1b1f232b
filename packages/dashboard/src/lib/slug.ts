/** Slugs of organizations, which commands and requests use. */

const format = /^[a-z0-9][a-z0-9-]{0,62}$/

export function isSlug(text: string): boolean {
  return format.test(text)
}

/** Latin letters that Unicode does not decompose. */
const spellings: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}

/** Returns a slug made from a name, such as `acme-inc` from "Acme, Inc.". Empty if no part of the name can be in a slug. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/\p{Letter}/gu, (letter) => spellings[letter] ?? letter)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-|-$/g, '')
}
