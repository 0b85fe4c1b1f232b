/**
 * Records what people do at the embedded provider in the audit log of each affected organization, before it happens. With the
 * embedded store the log is in another database, so one transaction cannot cover both. An action that fails after its entry keeps
 * the entry.
 */
import { tryGetCurrentAuthEndpointContext } from '@better-auth/core/context'
import { APIError } from 'better-auth/api'
import type { PersonAuditEvent } from '../audit/person-event.ts'
import type { Directory } from './directory.ts'
import { companyCallback } from './paths.ts'
import { eventsOf, type PersonEvent } from './events.ts'
import type { Change, Row } from './watched-adapter.ts'

/** Writes an audit entry. Throws if the entry cannot be written and the service must not act without it. */
export type RecordPersonEvent = (event: PersonAuditEvent) => Promise<void>

/** Returns what a sign-in was confirmed with besides the password. */
type FactorOf = (request: Request | undefined) => string | undefined

export class PeopleRecorder {
  readonly #directory: Directory
  readonly #record: RecordPersonEvent

  readonly #factorOf: FactorOf

  constructor(directory: Directory, record: RecordPersonEvent, factorOf: FactorOf) {
    this.#directory = directory
    this.#record = record
    this.#factorOf = factorOf
  }

  /** Records a change before it is made. Throws an APIError if the entry cannot be written. */
  async before(change: Change): Promise<void> {
    const endpoint = tryGetCurrentAuthEndpointContext()
    for (const made of await eventsOf(change, endpoint?.path, this.#factorOf(endpoint?.request))) {
      const isNew = made.event.action === 'organization.create'
      const organizations = isNew ? [organizationOf(change.data)] : await this.#affectedBy(made)
      await this.#write(
        made,
        endpoint && actorOf(made, endpoint.context.session?.user.id, endpoint.path),
        organizations,
      )
    }
  }

  /** Records an action of the operator that does not change a row. */
  async byOperator(action: PersonEvent): Promise<void> {
    await this.#write(action, undefined, await this.#affectedBy(action))
  }

  /** Records what the service does for a person who is not signed in. */
  async byService(action: PersonEvent, reason: string): Promise<void> {
    await this.#write(action, action.userId, await this.#affectedBy(action), reason)
  }

  #affectedBy({ organizationId, userId }: PersonEvent): Promise<PersonAuditEvent['organizations']> {
    if (userId !== undefined) return this.#directory.organizationsOf(userId)
    return this.#directory.organizations(organizationId === undefined ? undefined : [organizationId])
  }

  async #write(
    { event, memberId = '', memberEmail }: PersonEvent,
    userId: string | undefined,
    organizations: PersonAuditEvent['organizations'],
    reason?: string,
  ): Promise<void> {
    try {
      const isNew = event.action === 'member.add'
      const email = isNew ? (await this.#directory.person(memberId))?.email : memberEmail
      const joins = email === undefined ? undefined : { userId: memberId, email }
      const leaves = event.action === 'member.remove' ? { userId: memberId } : undefined
      await this.#record({ event, userId, organizations, joins, leaves, reason })
    } catch {
      throw new APIError('SERVICE_UNAVAILABLE', {
        code: 'AUDIT_UNAVAILABLE',
        message: 'The audit log is unavailable, so nothing was changed: try again in a minute.',
      })
    }
  }
}

/** Returns who acts; undefined: the operator. A person who comes back from a company's provider joins without anyone else. */
function actorOf({ userId, memberId }: PersonEvent, signedIn: string | undefined, path = ''): string | undefined {
  return signedIn ?? userId ?? (path.startsWith(companyCallback) ? memberId : undefined)
}

function organizationOf({ id, slug }: Row): PersonAuditEvent['organizations'][number] {
  return { id: String(id), slug: String(slug) }
}
