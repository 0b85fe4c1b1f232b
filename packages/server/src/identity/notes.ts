/**
 * Records what people do at the embedded provider in the audit log of each organization concerned, before it is done. With the
 * embedded store the log is in another database, so one transaction cannot cover both. An act that fails after its entry keeps
 * the entry.
 */
import { tryGetCurrentAuthEndpointContext } from '@better-auth/core/context'
import { APIError } from 'better-auth/api'
import type { PersonNote } from '../audit/person-note.ts'
import type { Directory } from './directory.ts'
import { eventsOf, type PersonEvent } from './events.ts'
import type { Change, Row } from './watched-adapter.ts'

/** Writes an audit entry. Throws if the entry cannot be written and the service must not act without it. */
export type RecordNote = (note: PersonNote) => Promise<void>

export class AuditNotes {
  readonly #directory: Directory
  readonly #take: RecordNote

  constructor(directory: Directory, take: RecordNote) {
    this.#directory = directory
    this.#take = take
  }

  /** Records a change before it is made. Throws an APIError if the entry cannot be written. */
  async before(change: Change): Promise<void> {
    const endpoint = tryGetCurrentAuthEndpointContext()
    for (const event of await eventsOf(change, endpoint?.path)) {
      const isNew = event.action === 'organization.create'
      const organizations = isNew ? [slugged(change.data)] : await this.#concerned(event)
      await this.#note(event, endpoint && (endpoint.context.session?.user.id ?? event.userId), organizations)
    }
  }

  /** Records an act of the operator that does not change a row. */
  async byOperator(event: PersonEvent): Promise<void> {
    await this.#note(event, undefined, await this.#concerned(event))
  }

  #concerned({ organizationId, userId }: PersonEvent): Promise<PersonNote['organizations']> {
    if (userId !== undefined) return this.#directory.organizationsOf(userId)
    return this.#directory.organizations(organizationId === undefined ? undefined : [organizationId])
  }

  async #note(
    { action, subject }: PersonEvent,
    userId: string | undefined,
    organizations: PersonNote['organizations'],
  ): Promise<void> {
    try {
      await this.#take({ action, userId, organizations, subject })
    } catch {
      throw new APIError('SERVICE_UNAVAILABLE', {
        code: 'AUDIT_UNAVAILABLE',
        message: 'The audit log is unavailable, so nothing was changed: try again in a minute.',
      })
    }
  }
}

function slugged({ id, slug }: Row): PersonNote['organizations'][number] {
  return { id: String(id), slug: String(slug) }
}
