/** An audit log of every kind of entry, with a checkpoint in its middle and one at its end. */
import { Checkpoints } from '../../src/audit/checkpoints.ts'
import { publicKeyOf, type BareCheckpoint } from '../../src/audit/checkpoint.ts'
import { verifyAudit, type AuditVerdict } from '../../src/audit/verify.ts'
import { Keyring } from '../../src/crypto/keyring.ts'
import { localKmsOfSetting } from '../../src/crypto/kms/local.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { appendAudit, type AuditEvent } from '../../src/storage/audit.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import type { Reader, Sql } from '../../src/storage/sql.ts'
import { TestClock } from '../../testkit/clock.ts'
import { silent } from './temporary.ts'

export const day = 86_400_000
const nowMs = 1_790_000_000_000
export const organization = { id: 'org_1', slug: 'acme' }
export const other = { id: 'org_2', slug: 'other' }
/** Of the organization; the checkpoints are of the fourth and of the last. */
export const entries = 8
export const retention = { defaultDays: 400, frequentDays: 90 }
const place = { projectSlug: 'shop', stageSlug: 'live' }

const events: readonly AuditEvent[] = [
  { action: 'device.approve', facts: { loginId: 'dev_1' } },
  { action: 'variable.update', ...place, names: ['A', 'B'], revision: 1, facts: { parts: ['rules'] } },
  { action: 'token.create', ...place, facts: { tokenId: 'tok_1', name: 'ci' } },
  { action: 'organization.update' },
]

export interface Logbook {
  readonly sql: Sql
  readonly clock: TestClock
  readonly keyring: Keyring
  readonly checkpoints: Checkpoints
}

export async function newLogbook(sql: Sql): Promise<Logbook> {
  const clock = new TestClock()
  clock.freezeAt(nowMs)
  await migrate(sql, nowMs, silent)
  const keyring = await Keyring.open(sql, localKmsOfSetting(Buffer.alloc(32, 1).toString('base64')), nowMs)
  const checkpoints = new Checkpoints({ sql, keyring, clock, log: silent })
  const book = { sql, clock, keyring, checkpoints }
  for (const { id, slug } of [organization, other]) {
    await sql.tx((tx) => insertOrganization(tx, { id, idpOrgId: `idp_${id}`, slug, nowMs }))
  }
  for (let half = 0; half < 2; half++) {
    for (const { id } of [organization, other]) for (const event of events) await note(book, event, id)
    await checkpoints.signAll()
  }
  return book
}

export async function note({ sql, clock }: Logbook, event: AuditEvent, orgId = organization.id) {
  const how = { how: 'session', client: 'cli session laptop' } as const
  const actor = { orgId, id: 'user_1', ...how, requestId: `request-${clock.now()}` }
  await sql.tx((tx) => appendAudit(tx, actor, { ...event, nowMs: clock.now() }))
  clock.advance(1_000)
}

/** Verifies the log some days after it was written. `sql` is the store, or a transaction in which it was changed. */
export async function verdictOf(
  { keyring, clock }: Logbook,
  sql: Reader,
  { days = 0, kept }: { days?: number; kept?: BareCheckpoint } = {},
): Promise<AuditVerdict> {
  const means = { sql, publicKey: publicKeyOf(keyring), retention, nowMs: clock.now() + days * day }
  return verifyAudit(means, kept ? [organization] : [organization, other], kept)
}
