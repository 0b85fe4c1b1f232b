/**
 * Organizations are created with the first valid token that names them. The provider's id identifies them. One that was deleted
 * stays deleted, whatever tokens the provider issues, until the operator opens it again.
 */
import type { Response } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import { deletedOrganization } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import type { LogicalClock } from '../consistency/read-validator.ts'
import { newId } from '../base/random.ts'
import { appendAudit } from '../storage/audit.ts'
import { reopenOrganization } from '../storage/deletion.ts'
import {
  insertOrganization,
  organizationByIdpId,
  organizationSettings,
  requireOrganization,
  setCreatesOnWrite,
  type OrganizationRow,
} from '../storage/organizations.ts'
import type { Sql } from '../storage/sql.ts'

const maxInMemory = 100_000

export class Organizations {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #cache: CoherentCache<OrganizationRow>

  constructor({ sql, clock, logicalClock }: { sql: Sql; clock: Clock; logicalClock: LogicalClock }) {
    this.#sql = sql
    this.#clock = clock
    this.#cache = new CoherentCache({ max: maxInMemory, kind: 'organization', logicalClock })
  }

  /**
   * Returns the stable internal id, or undefined if the organization was deleted. `byOf` returns the actor who creates the
   * organization if it does not exist yet. Without a read set, reads the store.
   */
  async find(
    idpOrgId: string,
    slug: string,
    byOf: (orgId: string) => Actor,
    reads?: ReadSet,
  ): Promise<string | undefined> {
    const read = (): Promise<OrganizationRow | undefined> => this.#findOrInsert(idpOrgId, slug, byOf)
    const row = await (reads ? this.#cache.get(idpOrgId, read, reads) : read())
    return row?.id
  }

  /** Returns what `find` returns. Throws ORG_SCOPE_INVALID if the organization was deleted. */
  async idOf(...organization: Parameters<Organizations['find']>): Promise<string> {
    const id = await this.find(...organization)
    if (id === undefined) throw deletedOrganization()
    return id
  }

  /** Forgets an organization that was deleted. Call it before answering the deletion. */
  forget(idpOrgId: string): void {
    this.#cache.forget(idpOrgId)
  }

  async settingsOf(id: string): Promise<Pick<Response<'organization'>, 'name' | 'createsOnWrite' | 'defaultRole'>> {
    const row = await organizationSettings(this.#sql, id)
    if (!row) throw new Error('the organization of a caller is missing')
    return { name: row.name, createsOnWrite: row.creates_on_write === 1, defaultRole: row.default_role }
  }

  /** Changes the setting. It applies to every write that is answered later. */
  async update(actor: Actor, createsOnWrite: boolean): Promise<void> {
    await this.#sql.tx(async (tx) => {
      await requireOrganization(tx, actor.orgId)
      await setCreatesOnWrite(tx, actor.orgId, createsOnWrite)
      const facts = { after: { createsOnWrite } }
      await appendAudit(tx, actor, { action: 'organization.update', facts, nowMs: this.#clock.now() })
    })
  }

  /** Opens a deleted organization again, without its former content. Returns false if it is not a deleted one. */
  reopen(actor: Actor): Promise<boolean> {
    return this.#sql.tx(async (tx) => {
      if (!(await reopenOrganization(tx, actor.orgId))) return false
      await appendAudit(tx, actor, { action: 'organization.create', nowMs: this.#clock.now() })
      return true
    })
  }

  async #findOrInsert(
    idpOrgId: string,
    slug: string,
    byOf: (orgId: string) => Actor,
  ): Promise<OrganizationRow | undefined> {
    const existing = await organizationByIdpId(this.#sql, idpOrgId)
    if (existing) return existing.deleted_at_ms === null ? existing : undefined
    const row = { id: newId('org'), idpOrgId, slug, nowMs: this.#clock.now() }
    await this.#sql.tx(async (tx) => {
      if (!(await insertOrganization(tx, row))) return
      await appendAudit(tx, byOf(row.id), { action: 'organization.create', nowMs: row.nowMs, facts: { idpOrgId } })
    })
    return organizationByIdpId(this.#sql, idpOrgId)
  }
}
