/**
 * What people do here is noted in the audit log of each organization that it concerns, before it is done: the log is in another
 * database on the embedded store, so one transaction cannot hold both. An act that is noted and then fails stays noted.
 */
import { tryGetCurrentAuthEndpointContext } from '@better-auth/core/context'
import { APIError } from 'better-auth/api'
import type { PersonNote } from '../base/person-note.ts'
import type { Directory } from './directory.ts'
import { eventsOf, type PersonEvent } from './events.ts'
import type { Change, Row } from './watched-adapter.ts'

/** Throws if nothing may be done that is not noted. */
export type RecordNote = (note: PersonNote) => Promise<void>

export class AuditNotes {
  readonly #directory: Directory
  readonly #take: RecordNote

  constructor(directory: Directory, take: RecordNote) {
    this.#directory = directory
    this.#take = take
  }

  /** Throws an APIError if it cannot be noted. */
  async before(change: Change): Promise<void> {
    const endpoint = tryGetCurrentAuthEndpointContext()
    for (const event of await eventsOf(change, endpoint?.path)) {
      const isNew = event.action === 'organization.create'
      const organizations = isNew ? [slugged(change.data)] : await this.#concerned(event)
      await this.#note(event, endpoint && (endpoint.context.session?.user.id ?? event.userId), organizations)
    }
  }

  /** What the operator does that is no change of a row. */
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
        message: 'The audit log cannot be written at the moment, so nothing was done: try again in a minute.',
      })
    }
  }
}

function slugged({ id, slug }: Row): PersonNote['organizations'][number] {
  return { id: String(id), slug: String(slug) }
}
