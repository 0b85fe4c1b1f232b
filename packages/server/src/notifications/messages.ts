/** The messages of a webhook: signed JSON for programs, or a text for people in a chat. */
import type { Hook, HookEvent } from '@rollkey/contract'
import { signatureOf } from '../upstream/standard-webhooks.ts'
import type { Message } from './target.ts'

export interface MessageOptions {
  readonly format: Hook['format']
  /** Signing secrets, the current one first. */
  readonly secrets: readonly string[]
  readonly id: string
  readonly nowMs: number
  /** Who did it, for people; undefined: the client. */
  readonly who?: string | undefined
}

/** Returns the message of an event. */
export function messageOf(event: HookEvent, { format, secrets, id, nowMs, who }: MessageOptions): Message {
  if (format !== 'standard')
    return { headers: json, body: JSON.stringify(chats[format](titleOf(event, who), event.data.url)) }
  const body = JSON.stringify(event)
  const seconds = Math.floor(nowMs / 1_000)
  return {
    headers: {
      ...json,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': secrets.map((secret) => signatureOf(secret, { id, seconds, body })).join(' '),
    },
    body,
  }
}

const json = { 'content-type': 'application/json', 'user-agent': 'Rollkey' }

/** Bodies with a text and a link, which mention no one, whatever names are in the text. */
const chats: Readonly<Record<Exclude<Hook['format'], 'standard'>, (text: string, url: string) => object>> = {
  // https://docs.slack.dev/messaging/formatting-message-text#escaping
  slack: (text, url) => ({ text: `${escaped(text)} <${url}|Open>` }),
  mattermost: (text, url) => ({ text: `${markdown(text)} [Open](${url})` }),
  discord: (text, url) => ({ content: `${markdown(text)} [Open](<${url}>)`, allowed_mentions: { parse: [] } }),
  // The card that workflows of Teams take: https://adaptivecards.io/schemas/1.4.0/adaptive-card.json
  teams: (text, url) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ type: 'TextBlock', text: markdown(text), wrap: true }],
          actions: [{ type: 'Action.OpenUrl', title: 'Open', url }],
        },
      },
    ],
  }),
}

function escaped(text: string): string {
  return withoutMentions(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
}

/** Parts each @ from what follows, with a space of no width, so that it mentions no one. */
function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b')
}

/** Escapes what Markdown would format. */
function markdown(text: string): string {
  return withoutMentions(text.replaceAll(/[\\`*_{}[\]()#+!|~<>]/g, String.raw`\$&`))
}

const maxShownNames = 5

/** What happened, for people, by type. */
const titles: Readonly<Record<HookEvent['type'], string>> = {
  'variables.changed': 'changed',
  'declarations.changed': 'What variables are expected to be was changed',
  'change.proposed': 'A change was proposed',
  'change.edited': 'A proposed change was edited',
  'change.rescheduled': 'A proposed change has another time',
  'change.approved': 'A change was approved',
  'change.rejected': 'Changes of a proposal were requested',
  'change.applied': 'A change was applied',
  'change.failed': 'A change could not be applied',
  'change.withdrawn': 'A proposed change was withdrawn',
  'ramp.stepped': 'A ramp took a step',
  'ramp.paused': 'A ramp paused',
  'ramp.resumed': 'A ramp goes on',
  'ramp.aborted': 'A ramp was ended',
  'member.invited': 'A person was invited',
  'member.added': 'A person became a member',
  'member.changed': 'A member has another role',
  'member.removed': 'A member was removed',
  'access.changed': 'Who may do what was changed',
  'token.expiring': 'A service token ends in seven days',
  'secret.due': 'is due for another value',
  'roll.misfit': 'serves another split than its chance',
  'hook.tested': 'This is a test of the webhook',
}

/** Events whose sentence begins with the names of variables. */
const aboutNames: ReadonlySet<HookEvent['type']> = new Set(['variables.changed', 'secret.due', 'roll.misfit'])
/** Events that no one does. */
const byNoOne: ReadonlySet<HookEvent['type']> = new Set(['token.expiring', 'secret.due', 'roll.misfit'])

/** Returns one sentence about an event. */
function titleOf({ type, data }: HookEvent, who = data.client): string {
  const { orgSlug, projectSlug, stageSlug, revision, actions } = data
  const place = [projectSlug ?? orgSlug, ...(stageSlug === undefined ? [] : [stageSlug])].join('/')
  const what = aboutNames.has(type) ? `${namesOf(data)} ${titles[type]}` : titles[type]
  const how = type === 'access.changed' ? ` (${actions.join(', ')})` : ''
  const since = revision === undefined ? '' : `, revision ${revision}`
  const by = who === undefined || byNoOne.has(type) ? '' : ` by ${who}`
  return `${place}: ${what}${how}${by}${since}.`
}

function namesOf({ names, nameCount }: HookEvent['data']): string {
  if (names === undefined || names.length === 0) return nameCount === undefined ? 'Variables' : `${nameCount} variables`
  const more = names.length - maxShownNames
  return `${names.slice(0, maxShownNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
