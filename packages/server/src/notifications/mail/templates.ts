/** What mails say: one template for each kind. */
import type { PersonName } from '../../access/principals.ts'
import type { AnyMailKind, MailContent } from './kinds.ts'

/** A mail before it is laid out. */
export interface Letter {
  readonly subject: string
  /** Paragraphs. */
  readonly lines: readonly string[]
  readonly link: { readonly label: string; readonly url: string }
}

/** What a template knows besides the content. */
export interface LetterFacts {
  readonly content: MailContent
  /** The person who did it. */
  readonly actor?: PersonName | undefined
  /** The secret link of an invitation or a reset. */
  readonly link?: string | undefined
}

const maxShownNames = 5

const templates: Readonly<Record<AnyMailKind, (facts: LetterFacts) => Letter>> = {
  approval: ({ content, actor }) => ({
    subject: `${placeOf(content)}: a change waits for your approval`,
    lines: [`${who(actor)} proposed a change of ${namesOf(content)} at ${placeOf(content)}. It needs your approval.`],
    link: { label: 'Look at the change', url: content.url },
  }),
  applied: ({ content, actor }) => ({
    subject: `${placeOf(content)}: your change was applied`,
    lines: [
      `Your change of ${namesOf(content)} at ${placeOf(content)} was applied by ${who(actor, 'Rollkey, at its time')}.`,
    ],
    link: { label: 'Look at the change', url: content.url },
  }),
  failed: ({ content }) => ({
    subject: `${placeOf(content)}: your change could not be applied`,
    lines: [
      `Your change of ${namesOf(content)} at ${placeOf(content)} could not be applied at its time, and nothing was changed.`,
      'The page of the change says why, and what you can do.',
    ],
    link: { label: 'Look at the change', url: content.url },
  }),
  token: ({ content }) => ({
    subject: `A service token ends soon: ${content.name ?? ''}`,
    lines: [
      `The service token ${content.name ?? ''} of ${placeOf(content)} ends on ${timeOf(content.atMs)}. What uses it stops then.`,
      'Rotate it, and give its new secret to what uses it.',
    ],
    link: { label: 'Look at the service tokens', url: content.url },
  }),
  secret: ({ content }) => ({
    subject: `${placeOf(content)}: ${namesOf(content)} is due for another value`,
    lines: [
      `${namesOf(content)} at ${placeOf(content)} has had its value for as long as its declaration allows, since ${timeOf(content.atMs)}.`,
      'Rotate it, and withdraw the former value where it is checked.',
    ],
    link: { label: 'Look at the project', url: content.url },
  }),
  hook: ({ content }) => ({
    subject: `A webhook was switched off: ${content.name ?? ''}`,
    lines: [
      `The webhook ${content.name ?? ''} of ${content.orgSlug} failed for three days, or its receiver is gone. It was switched off, and its receiver learns of nothing anymore.`,
      'Mend the receiver, and switch the webhook on again.',
    ],
    link: { label: 'Look at the webhooks', url: content.url },
  }),
  invitation: ({ content, actor, link = '' }) => ({
    subject: `You are invited to ${content.orgSlug}`,
    lines: [
      `${who(actor)} invites you to the organization ${content.orgSlug}.`,
      'The link works once, for two days. If you did not expect it, ignore this mail.',
    ],
    link: { label: 'Accept the invitation', url: link },
  }),
  reset: ({ link = '' }) => ({
    subject: 'Set a new password',
    lines: [
      'Someone asked for a link that sets a new password for your account.',
      'The link works once, for one hour. If it was not you, ignore this mail: your password stays what it is.',
    ],
    link: { label: 'Set a new password', url: link },
  }),
  'sign-in': ({ content }) => ({
    subject: 'New sign-in to your account',
    lines: [
      `On ${timeOf(content.atMs)}, someone signed in to your account in a browser that was not used for it before.`,
      'If it was not you, set another password and end the sessions that you do not know.',
    ],
    link: { label: 'Look at your account', url: content.url },
  }),
}

export function letterOf(kind: AnyMailKind, facts: LetterFacts): Letter {
  return templates[kind](facts)
}

/** Returns one letter about many things. */
export function digestOf(letters: readonly Letter[], orgSlug: string, url: string): Letter {
  return {
    subject: `${orgSlug}: ${letters.length} things for you`,
    lines: letters.map(({ subject, link }) => `${subject}: ${link.url}`),
    link: { label: 'Open Rollkey', url },
  }
}

function placeOf({ orgSlug, projectSlug, stageSlug }: MailContent): string {
  return [projectSlug ?? orgSlug, ...(stageSlug === undefined ? [] : [stageSlug])].join('/')
}

/** Returns a person by their email, since anyone can choose any name. */
function who(person: PersonName | undefined, otherwise = 'A program'): string {
  return person?.email ?? otherwise
}

function namesOf({ names, nameCount }: MailContent): string {
  if (names === undefined || names.length === 0) return nameCount === undefined ? 'variables' : `${nameCount} variables`
  const more = (nameCount ?? names.length) - maxShownNames
  return `${names.slice(0, maxShownNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function timeOf(ms = 0): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
