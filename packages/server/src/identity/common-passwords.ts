/** Refuses new passwords that attackers try first (NIST SP 800-63B, section 5.1.1.2), by the list of zxcvbn. */
import { isCommonPassword } from '@rollkey/contract'
import { APIError } from 'better-auth/api'

/** The field of a new password, by path below the library's base path. */
const fields: Readonly<Record<string, string>> = {
  '/links/setup': 'password',
  '/links/sign-up': 'password',
  '/sign-up/email': 'password',
  '/reset-password': 'newPassword',
  '/change-password': 'newPassword',
}

export function setsPassword(path: string | undefined): path is string {
  return path !== undefined && Object.hasOwn(fields, path)
}

/** Returns whether the list has the password, by the rule that the web application has too. */
export async function isCommon(password: string): Promise<boolean> {
  // Only once someone sets a password: the list takes 2 MB of memory.
  const { default: list } = await import('@zxcvbn-ts/language-common/src/passwords.json', { with: { type: 'json' } })
  return isCommonPassword(password, (text) => list.includes(text))
}

/** Throws an APIError if a request sets a common password. */
export async function assertUncommonPassword(path: string, body: unknown): Promise<void> {
  const password = (body as Readonly<Record<string, unknown>> | undefined)?.[fields[path] ?? '']
  if (typeof password !== 'string' || !(await isCommon(password))) return
  throw new APIError('BAD_REQUEST', {
    code: 'PASSWORD_TOO_COMMON',
    message: 'This password is among those that attackers try first: choose another one, such as several words.',
  })
}
