/** The kinds of mail, and what they are about. */
import { mailKinds, type MailKind } from '@rollkey/contract'
import { newId } from '../../base/random.ts'
import type { insertMail } from '../../storage/mails.ts'

/** All kinds: those that people choose, and those about their account. */
export type AnyMailKind = MailKind | 'invitation' | 'reset' | 'sign-in'

/** What a mail about an organization says. It never has a value, a seed or a token. */
export interface MailContent {
  readonly orgSlug: string
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
  /** Page of the web application about it. */
  readonly url: string
  readonly changeId?: string | undefined
  /** Names of variables. */
  readonly names?: readonly string[] | undefined
  readonly nameCount?: number | undefined
  /** Id of the person who did it, if it was a person. */
  readonly actor?: string | undefined
  /** Name of the service token or webhook. */
  readonly name?: string | undefined
  /** Person or group that is responsible, as a declaration says. */
  readonly owner?: string | undefined
  /** Id of the person who made the service token. */
  readonly createdBy?: string | undefined
  /** When it ends, or happened. */
  readonly atMs?: number | undefined
}

/** When a mail is of no use anymore, after it was written. */
const lifetimesMs: Readonly<Partial<Record<AnyMailKind, number>>> = { invitation: 48 * 3_600_000, reset: 3_600_000 }
const lifetimeMs = 24 * 3_600_000
/** How long mails that people choose wait for others, with which they may be one message. */
const waitMs = 60_000

/** Returns the row of a new mail. */
export function mailRow(
  kind: AnyMailKind,
  {
    orgId,
    recipient,
    thing,
    content,
    link = null,
    nowMs,
  }: {
    orgId: string | null
    recipient: string
    thing: string
    content: MailContent
    link?: ((id: string) => Buffer) | null
    nowMs: number
  },
): NewMail {
  const id = newId('mai')
  return {
    id,
    kind,
    org_id: orgId,
    recipient,
    thing,
    content: JSON.stringify(content),
    link: link === null ? null : link(id),
    created_at_ms: nowMs,
    expires_at_ms: nowMs + (lifetimesMs[kind] ?? lifetimeMs),
    next_attempt_at_ms: isChosen(kind) ? nowMs + waitMs : nowMs,
  }
}

type NewMail = Parameters<typeof insertMail>[1]

/** Returns whether people choose to get this kind. */
export function isChosen(kind: AnyMailKind): kind is MailKind {
  return Object.hasOwn(mailKinds, kind)
}
