/** Sends one message to a webhook. */
import type { Hook, HookEvent } from '@rollkey/contract'
import type { PersonName } from '../access/principals.ts'
import type { Clock } from '../base/clock.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { DeliveryRow, HookRow } from '../storage/hooks.ts'
import { messageOf } from './messages.ts'
import type { Target } from './target.ts'

/** Returns the names of the people whom the service knows. */
export type Named = (userIds: readonly string[]) => Promise<ReadonlyMap<string, PersonName>>

/** What came of an attempt. */
export type Attempt = Omit<DeliveryRow, 'attempts'>

export class Delivery {
  readonly #keyring: Keyring
  readonly #target: Target
  readonly #named: Named | undefined
  readonly #clock: Clock

  constructor(parts: { keyring: Keyring; target: Target; named: Named | undefined; clock: Clock }) {
    this.#keyring = parts.keyring
    this.#target = parts.target
    this.#named = parts.named
    this.#clock = parts.clock
  }

  /** Returns the sealed URL of a webhook. */
  seal({ id, orgId }: { readonly id: string; readonly orgId: string }, url: string): Buffer {
    return this.#keyring.sealerFor('webhooks', orgId).seal(id, 'webhook', 'url', url)
  }

  /** Returns the URL of a webhook. */
  urlOf({ id, org_id: orgId, url }: HookRow): string {
    return this.#keyring.sealerFor('webhooks', orgId).open(id, 'webhook', 'url', url).toString()
  }

  /** Returns the signing secret of a number. */
  secretOf(hookId: string, number: number): string {
    const key = Buffer.from(this.#keyring.secretFor(`webhook ${hookId} ${number}`), 'base64url')
    return `whsec_${key.toString('base64')}`
  }

  /** Sends an event under its id. Never throws. */
  async send(row: HookRow, id: string, event: HookEvent, signal: AbortSignal): Promise<Attempt> {
    const nowMs = this.#clock.now()
    const hasFormer = row.secrets > 1 && nowMs < row.former_until_ms
    const numbers = hasFormer ? [row.secrets, row.secrets - 1] : [row.secrets]
    const format = row.format as Hook['format']
    const message = messageOf(event, {
      format,
      secrets: numbers.map((number) => this.secretOf(row.id, number)),
      id,
      nowMs,
      who: format === 'standard' ? undefined : await this.#whoOf(event),
    })
    const outcome = await this.#target.send(this.urlOf(row), message, signal)
    const status = 'status' in outcome ? outcome.status : null
    return {
      event_id: id,
      type: event.type,
      at_ms: nowMs,
      status,
      duration_ms: outcome.durationMs,
      failure: 'failure' in outcome ? outcome.failure : failureOf(outcome.status),
    }
  }

  async #whoOf({ data: { actor, how } }: HookEvent): Promise<string | undefined> {
    if (actor === undefined || (how !== 'provider' && how !== 'session')) return undefined
    const names = await this.#named?.([actor]).catch(() => undefined)
    return names?.get(actor)?.email
  }
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `status ${status}: redirects are not followed` : `status ${status}`
}
