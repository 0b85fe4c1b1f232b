import { isOfDeclaredType, limits, type DeclaredType } from '@rollkey/contract/rules'
import { unreadable, type Entry, type Reader } from './entry.ts'
import { entriesOf, isObject, membersOf, parseJson } from './json.ts'

/** Returns whether a value has the fields of every answer of Vault and OpenBao. */
export function isVault(value: unknown): boolean {
  return isObject(value) && 'request_id' in value && isObject(value['data'])
}

/**
 * Reads the output of `vault kv get -format=json` or `bao`. The secret is `data` in version 1 of the engine, and `data.data`
 * next to `data.metadata` in version 2. Source: developer.hashicorp.com/vault/api-docs/secret/kv, "Read secret" and "Read
 * secret version". A value that is not text gets the type that it has, and the text `description` of the custom metadata describes each
 * value of the secret.
 */
export const vault: Reader = (text, file) => {
  const value = parseJson(text, file)
  const data = isObject(value) && value['data']
  if (!isObject(data)) throw unreadable(file, '', 'Expected an answer of Vault with an object "data"')
  const secret = memberOf(text, 'data')
  const isVersion2 = isObject(data['metadata']) && 'data' in data
  if (!isVersion2) return typedEntries(secret, file)
  if (!isObject(data['data'])) throw unreadable(file, '', 'This version of the secret is deleted in Vault')
  const { custom_metadata: custom } = data['metadata'] as { readonly custom_metadata?: unknown }
  const description = isObject(custom) ? custom['description'] : undefined
  const isDescribed =
    typeof description === 'string' && description !== '' && description.length <= limits.descriptionCharacters
  const entries = typedEntries(memberOf(secret, 'data'), file)
  return isDescribed ? entries.map((entry) => ({ ...entry, description })) : entries
}

/** Types of a value that is not text. A number that is neither an int64 nor a float is JSON, which has numbers of any length. */
const types: readonly DeclaredType[] = ['boolean', 'int64', 'float', 'json']

function typedEntries(text: string, file: string): Entry[] {
  const members = membersOf(text)
  return entriesOf(members, file).map((entry, index) => {
    const isText = members[index]?.value.startsWith('"')
    const declaredType = isText ? undefined : types.find((type) => isOfDeclaredType(type, entry.value))
    return declaredType === undefined ? entry : { ...entry, declaredType }
  })
}

function memberOf(text: string, name: string): string {
  return membersOf(text).findLast((member) => member.name === name)?.value ?? ''
}
