/** A client that follows the events of a project. */
import type { ApiError } from '../base/api-error.ts'
import type { ChangeEvent } from './change-events.ts'
import type { Since } from './cursor.ts'

/** The stages of a project that a subscriber sees. It never changes. */
export interface VisibleStages {
  /** Equal for subscribers who see the same. */
  readonly key: string
  readonly includes: (stageSlug: string) => boolean
}

/** The events that a subscriber receives. */
export interface SubscriptionFilter {
  readonly orgId: string
  readonly projectId: string
  /** What the client already has; undefined to receive only events after the first poll. */
  readonly since: Since | undefined
  /** Returns the stages that the subscriber sees at the moment. Each poll calls it. */
  readonly visible: () => VisibleStages
}

/** The origin of a subscriber: its credential (for provider tokens, the user) and its IP address. */
export interface SubscriberOrigin {
  readonly credential: string
  readonly address: string
}

/** The part of a stage that a subscriber sees. */
export interface SubscriberView {
  /** Equal views have equal keys. */
  readonly key: string
  readonly version: () => Promise<string>
}

export interface Subscriber {
  readonly filter: SubscriptionFilter
  readonly origin: SubscriberOrigin
  /** Absent: the subscriber sees each change. Otherwise it is notified only when the version of its view has changed. */
  readonly view?: SubscriberView | undefined
  /** The id of what the subscriber has received: a cursor, or the version of its view; undefined until it has started. */
  id: string | undefined
  /** Sends the event. `id` already includes it. */
  notify(event: ChangeEvent): void
  /** Reports that proposed changes of a stage moved. `id` already includes it. Absent: the subscriber does not follow them. */
  readonly notifyMoved?: ((stageSlug: string) => void) | undefined
  /** Called each second. */
  tick(): void
  /** Ends the stream. Without an error, because the service stops. */
  end(apiError?: ApiError): void
}

/** Returns the stages that these slugs name. */
export function visibleStages(slugs: 'all' | ReadonlySet<string>): VisibleStages {
  // No slug has this sign.
  if (slugs === 'all') return { key: '*', includes: () => true }
  return { key: [...slugs].toSorted().join(), includes: (slug) => slugs.has(slug) }
}
