import { unreadable, type Entry } from './entry.ts'
import { isObject, parseJson } from './json.ts'

/** An element of the list, of which `type`, `comment`, `tags` and more are left. */
function isSecret(value: unknown): value is { readonly key: string; readonly value: string } {
  return isObject(value) && typeof value['key'] === 'string' && typeof value['value'] === 'string'
}

export function isInfisical(value: unknown): boolean {
  return Array.isArray(value) && value.every(isSecret)
}

/**
 * `infisical export --format=json`: a list of `{ key, value, type, … }`, personal values already in the place of shared ones.
 * Source: Infisical/cli, packages/cmd/export.go (formatAsJson) and packages/models/cli.go (SingleEnvironmentVariable). Its other
 * formats `dotenv` and `dotenv-export` are read as dotenv.
 */
export function infisical(text: string, file: string): Entry[] {
  const list = parseJson(text, file)
  if (!Array.isArray(list)) throw unreadable(file, '', 'An export of Infisical is a list of keys and values')
  return list.map((secret: unknown, index) => {
    if (!isSecret(secret)) throw unreadable(file, `, element ${index + 1}`, 'It needs a key and a value, both texts')
    return { name: secret.key, value: secret.value }
  })
}
