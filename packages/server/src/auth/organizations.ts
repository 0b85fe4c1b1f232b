/** Organizations are created with the first valid token that names them. The provider's id identifies them. */
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import { noReads } from '../consistency/read-set.ts'
import { newId } from '../base/random.ts'
import { appendAudit } from '../storage/audit.ts'
import {
  insertOrganization,
  organizationByIdpId,
  organizationSettings,
  setCreatesOnWrite,
  type OrganizationRow,
} from '../storage/organizations.ts'
import type { Sql } from '../storage/sql.ts'

const maxInMemory = 100_000

export class Organizations {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #cache = new CoherentCache<OrganizationRow>({ max: maxInMemory })

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  /** Returns the stable internal id. `byOf` returns the actor who creates the organization if it does not exist yet. */
  async idOf(idpOrgId: string, slug: string, byOf: (orgId: string) => Actor): Promise<string> {
    const row = await this.#cache.get(idpOrgId, () => this.#findOrInsert(idpOrgId, slug, byOf), noReads)
    if (!row) throw new Error('an organization that was just inserted is missing')
    return row.id
  }

  async settingsOf(id: string): Promise<{ readonly name: string; readonly createsOnWrite: boolean }> {
    const row = await organizationSettings(this.#sql, id)
    if (!row) throw new Error('the organization of a caller is missing')
    return { name: row.name, createsOnWrite: row.creates_on_write === 1 }
  }

  /** Changes the setting. It applies to every write that is answered later. */
  async update(actor: Actor, createsOnWrite: boolean): Promise<void> {
    await this.#sql.tx(async (tx) => {
      await setCreatesOnWrite(tx, actor.orgId, createsOnWrite)
      await appendAudit(tx, actor, { action: 'organization.update', nowMs: this.#clock.now() })
    })
  }

  async #findOrInsert(
    idpOrgId: string,
    slug: string,
    byOf: (orgId: string) => Actor,
  ): Promise<OrganizationRow | undefined> {
    const existing = await organizationByIdpId(this.#sql, idpOrgId)
    if (existing) return existing
    const row = { id: newId('org'), idpOrgId, slug, nowMs: this.#clock.now() }
    await this.#sql.tx(async (tx) => {
      if (!(await insertOrganization(tx, row))) return
      await appendAudit(tx, byOf(row.id), { action: 'organization.create', nowMs: row.nowMs, subject: idpOrgId })
    })
    return organizationByIdpId(this.#sql, idpOrgId)
  }
}
