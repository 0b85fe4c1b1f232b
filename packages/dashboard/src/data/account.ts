import { queryOptions } from '@tanstack/react-query'
import { confirming } from '../session/confirmation.ts'
import { identity, unwrap } from '../session/identity.ts'

export interface Passkey {
  readonly id: string
  readonly name?: string | undefined
  readonly createdAt: Date
}

export const passkeysQuery = (userId: string) =>
  queryOptions({
    queryKey: ['passkeys', userId],
    queryFn: async (): Promise<readonly Passkey[]> => unwrap(identity.passkey.listUserPasskeys()),
  })

export function hasPasskeySupport(): boolean {
  return 'PublicKeyCredential' in globalThis
}

/** Returns whether the browser can offer passkeys in the email field. */
export async function canFillPasskeys(): Promise<boolean> {
  return hasPasskeySupport() && PublicKeyCredential.isConditionalMediationAvailable()
}

/** Signs in. `autoFill`: waits until a passkey is chosen in the email field. */
export async function signInWithPasskey(autoFill: boolean): Promise<void> {
  await unwrap(identity.signIn.passkey({ autoFill }))
}

export async function addPasskey(name: string): Promise<void> {
  await confirming(() => unwrap(identity.passkey.addPasskey({ name })))
}

export async function deletePasskey(id: string): Promise<void> {
  await confirming(() => unwrap(identity.passkey.deletePasskey({ id })))
}

export interface BrowserSession {
  readonly id: string
  readonly token: string
  readonly userAgent?: string | null | undefined
  /** The address of the last use, where the service knows it. */
  readonly ipAddress?: string | null | undefined
  /** The last use, to the day. */
  readonly updatedAt: Date
}

export const browserSessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['browser-sessions', userId],
    queryFn: async (): Promise<readonly BrowserSession[]> => unwrap(identity.listSessions()),
  })

/** Returns the session of this browser, and after it the others, the last used first. */
export function ownFirst<Each extends Pick<BrowserSession, 'id' | 'updatedAt'>>(
  sessions: readonly Each[],
  ownId: string | undefined,
): readonly Each[] {
  const used = ({ id, updatedAt }: Each): number => (id === ownId ? Infinity : new Date(updatedAt).getTime())
  return sessions.toSorted((one, other) => used(other) - used(one))
}

export async function endSession({ token }: BrowserSession): Promise<void> {
  await unwrap(identity.revokeSession({ token }))
}

export async function endOtherSessions(): Promise<void> {
  await unwrap(identity.revokeOtherSessions())
}

/** Whether the password has a second factor. */
interface SecondFactor {
  readonly isOn: boolean
  readonly recoveryCodesLeft: number
}

/** A kind of mail that a person can do without. */
export interface MailChoice {
  readonly kind: string
  readonly label: string
  readonly isOn: boolean
}

/** Reads which mails the person gets; none if the service sends no mail. */
export const mailChoicesQuery = (userId: string) =>
  queryOptions({
    queryKey: ['mails', userId],
    queryFn: async () => (await unwrap(identity.$fetch<{ mails: MailChoice[] }>('/mails'))).mails,
  })

export async function chooseMails(off: readonly string[]): Promise<void> {
  await unwrap(identity.$fetch('/mails/choose', { method: 'POST', body: { off } }))
}

export const secondFactorQuery = (userId: string) =>
  queryOptions({
    queryKey: ['second-factor', userId],
    queryFn: async (): Promise<SecondFactor> => unwrap(identity.$fetch<SecondFactor>('/second-factor')),
  })

/** Returns an address that an authenticator app reads as a QR code. It contains the secret. */
export async function startSecondFactor(): Promise<string> {
  return (await changeSecondFactor<{ uri: string }>('start')).uri
}

/** Returns the recovery codes. */
export async function enableSecondFactor(code: string): Promise<readonly string[]> {
  return (await changeSecondFactor<{ recoveryCodes: string[] }>('enable', { code })).recoveryCodes
}

export async function newRecoveryCodes(): Promise<readonly string[]> {
  return (await changeSecondFactor<{ recoveryCodes: string[] }>('recovery-codes')).recoveryCodes
}

export async function removeSecondFactor(): Promise<void> {
  await changeSecondFactor('remove')
}

function changeSecondFactor<Result>(
  what: 'start' | 'enable' | 'recovery-codes' | 'remove',
  body: object = {},
): Promise<NonNullable<Result>> {
  return confirming(() => unwrap(identity.$fetch<Result>(`/second-factor/${what}`, { method: 'POST', body })))
}
