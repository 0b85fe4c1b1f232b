import { joinNames } from '../formats/refuse.ts'
import { unreadable, type Reader } from './entry.ts'
import { hasText, isObject, parseJson } from './json.ts'

/** Returns whether a value is an element of the list. Its `type`, `tags` and more are ignored, and its `comment` is left out. */
function isSecret(value: unknown): value is { readonly key: string; readonly value: string } {
  return isObject(value) && typeof value['key'] === 'string' && typeof value['value'] === 'string'
}

export function isInfisical(value: unknown): boolean {
  return Array.isArray(value) && value.every(isSecret)
}

/**
 * Reads `infisical export --format=json`, a list of `{ key, value, type, … }` in which personal values replace shared ones.
 * Source: Infisical/cli, packages/cmd/export.go (formatAsJson) and packages/models/cli.go (SingleEnvironmentVariable). Its
 * formats `dotenv` and `dotenv-export` are read as dotenv.
 */
export const infisical: Reader = (text, file, note) => {
  const list = parseJson(text, file)
  if (!Array.isArray(list)) throw unreadable(file, '', 'Expected an Infisical export: a list of keys and values')
  const commented = list.filter((secret) => isSecret(secret) && hasText(secret, 'comment')) as {
    readonly key: string
  }[]
  if (commented.length > 0)
    note(`${file}: The comments of these are left out: ${joinNames(commented.map(({ key }) => key))}.`)
  return list.map((secret: unknown, index) => {
    if (!isSecret(secret)) throw unreadable(file, `, element ${index + 1}`, 'Expected a key and a value, both strings')
    return { name: secret.key, value: secret.value }
  })
}
