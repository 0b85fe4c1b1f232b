/** The passwords that attackers try first, by the list by which the service refuses them. */
import { isCommonPassword } from '@rollkey/contract/rules'
import { loaded } from './code.ts'

/** Loads the list, which is half as large as the first page, and returns whether it makes a password common. */
export async function loadCommonPasswords(): Promise<(password: string) => boolean> {
  const { default: list } = await loaded(
    () => import('@zxcvbn-ts/language-common/src/passwords.json', { with: { type: 'json' } }),
  )
  const listed = new Set(list)
  return (password) => isCommonPassword(password, (text) => listed.has(text))
}
