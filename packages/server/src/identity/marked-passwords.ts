/**
 * Marks the stored hash of a password whose sign-in needs a second factor. A node of an older version, which still runs during an
 * upgrade, knows no second factor. It reads a marked hash as one that no password matches, so it refuses the sign-in.
 * A mark without a second factor changes nothing for the nodes that know it.
 */
import type { DBTransactionAdapter } from 'better-auth/adapters'
import type { Change, Row } from './watched-adapter.ts'

/** Hashes are `salt:key`. With the mark, the salt stands where an older version expects the key. */
const mark = 'second-factor:'

export function isMarked(hash: unknown): boolean {
  return typeof hash === 'string' && hash.startsWith(mark)
}

export function withoutMark(hash: string): string {
  return isMarked(hash) ? hash.slice(mark.length) : hash
}

/** Returns whether a change of an account writes another password, and not only its mark. */
export function isNewPassword({ password: old }: Row, { password }: Row): boolean {
  if (typeof password !== 'string') return password !== undefined
  return typeof old !== 'string' || withoutMark(old) !== withoutMark(password)
}

/** Returns what a change writes: a new password keeps the mark of the old one. */
export async function keepMark({ operation, data, rows }: Change): Promise<Row> {
  const { password } = data
  if (operation !== 'account update' || typeof password !== 'string' || isMarked(password)) return data
  const isKept = (await rows()).some((row) => isMarked(row['password']) && isNewPassword(row, data))
  return isKept ? { ...data, password: mark + password } : data
}

interface PasswordAccount {
  readonly id: string
  readonly password?: string | null
}

type Adapter = Pick<DBTransactionAdapter, 'findOne' | 'update'>

async function passwordAccount(adapter: Adapter, userId: string): Promise<PasswordAccount | undefined> {
  const where = [
    { field: 'userId', value: userId },
    { field: 'providerId', value: 'credential' },
  ]
  return (await adapter.findOne<PasswordAccount>({ model: 'account', where })) ?? undefined
}

export async function hasPassword(adapter: Adapter, userId: string): Promise<boolean> {
  return typeof (await passwordAccount(adapter, userId))?.password === 'string'
}

/** Sets or removes the mark. Returns false if there is no password, or if another request changed it at the same time. */
export async function setMark(adapter: Adapter, userId: string, isNeeded: boolean): Promise<boolean> {
  const account = await passwordAccount(adapter, userId)
  if (typeof account?.password !== 'string') return false
  const { id, password: old } = account
  const password = (isNeeded ? mark : '') + withoutMark(old)
  if (password === old) return true
  const where = [
    { field: 'id', value: id },
    { field: 'password', value: old },
  ]
  return (await adapter.update({ model: 'account', where, update: { password } })) !== null
}
