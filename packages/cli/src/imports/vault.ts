import { unreadable, type Reader } from './entry.ts'
import { entriesOf, isObject, membersOf, parseJson } from './json.ts'

/** Returns whether a value has the fields of every answer of Vault and OpenBao. */
export function isVault(value: unknown): boolean {
  return isObject(value) && 'request_id' in value && isObject(value['data'])
}

/**
 * Reads the output of `vault kv get -format=json` or `bao`. The secret is `data` in version 1 of the engine, and `data.data`
 * next to `data.metadata` in version 2. Source: developer.hashicorp.com/vault/api-docs/secret/kv, "Read secret" and "Read
 * secret version".
 */
export const vault: Reader = (text, file) => {
  const value = parseJson(text, file)
  const data = isObject(value) && value['data']
  if (!isObject(data)) throw unreadable(file, '', 'Expected an answer of Vault with an object "data"')
  const secret = memberOf(text, 'data')
  const isVersion2 = isObject(data['metadata']) && 'data' in data
  if (!isVersion2) return entriesOf(membersOf(secret), file)
  if (!isObject(data['data'])) throw unreadable(file, '', 'This version of the secret is deleted in Vault')
  return entriesOf(membersOf(memberOf(secret, 'data')), file)
}

function memberOf(text: string, name: string): string {
  return membersOf(text).findLast((member) => member.name === name)?.value ?? ''
}
