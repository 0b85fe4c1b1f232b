import { unreadable, type Entry } from './entry.ts'
import { isObject, parseJson } from './json.ts'

/** Returns whether a value is an element of the list. Its `type`, `comment`, `tags` and more are ignored. */
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
export function infisical(text: string, file: string): Entry[] {
  const list = parseJson(text, file)
  if (!Array.isArray(list)) throw unreadable(file, '', 'Expected an Infisical export: a list of keys and values')
  return list.map((secret: unknown, index) => {
    if (!isSecret(secret)) throw unreadable(file, `, element ${index + 1}`, 'Expected a key and a value, both strings')
    return { name: secret.key, value: secret.value }
  })
}
