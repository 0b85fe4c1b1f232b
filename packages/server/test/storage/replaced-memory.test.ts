/** What parts of a node remember of a database does not outlast its replacement by another. */
import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { ClientKeyQuotas } from '../../src/metering/client-key-quotas.ts'
import { RevisionCache } from '../../src/stages/revision-cache.ts'
import { insertTrust } from '../../src/storage/trusts.ts'
import { TokenExchange } from '../../src/trusts/exchange.ts'
import { TrustedIssuers } from '../../src/trusts/issuer-keys.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newIssuerKey, signed } from '../../testkit/issuer.ts'
import { trustRow } from '../../testkit/trust-row.ts'
import { newStore } from '../stages/node.ts'

/** Returns the clock of a node whose database can be replaced. */
function newLogicalClock() {
  const clock = { now: 0, voidUpTo: -Infinity, next: () => ++clock.now }
  return { clock, replace: () => void (clock.voidUpTo = clock.now) }
}

test('results of a revision are computed again', async () => {
  const { clock, replace } = newLogicalClock()
  const cache = new RevisionCache<string>(10, clock)
  const resultOf = (value: string) => cache.result('A', [{ stage_id: 'stg_1', revision: 2 }], async () => value)
  expect([await resultOf('first'), await resultOf('second')]).toEqual(['first', 'first'])
  replace()
  expect(await resultOf('third')).toBe('third')
})

test('the evaluations of a client key are read again', async () => {
  const { clock: logicalClock, replace } = newLogicalClock()
  let evaluations = 10
  const sql = { all: async () => [{ id: 'ses_1', evaluations }] as never[] }
  const pending = { fold: async () => {} }
  const quotas = new ClientKeyQuotas({ sql, pending, clock: new TestClock(), logicalClock, standard: 10 })
  const key = { orgId: 'org_1', id: 'ses_1', evaluationsPerMonth: undefined }
  await expect((async () => quotas.assertWithin(key))()).rejects.toThrow('has made its evaluations of this month')
  evaluations = 9
  expect(() => quotas.assertWithin(key)).toThrow('has made its evaluations of this month')
  replace()
  await expect(quotas.assertWithin(key)).resolves.toBeUndefined()
})

test('the rules of a trust are read again', async () => {
  const { clock: logicalClock, replace } = newLogicalClock()
  const { sql, clock } = await newStore()
  const key = await newIssuerKey()
  const row = trustRow(clock.now(), { jwks: JSON.stringify({ keys: [key.publicJwk] }) })
  await sql.tx((tx) => insertTrust(tx, row))
  const issuers = new TrustedIssuers({ listed: [], clock, log: createLog('silent') })
  const exchange = new TokenExchange({ sql, issuers, refusals: { add: () => {} }, clock, logicalClock })
  const nowSec = Math.floor(clock.now() / 1_000)
  const claims = { iss: row.issuer, aud: row.audience, sub: 'job', iat: nowSec, exp: nowSec + 300, project_id: '1' }
  const exchanged = async () => exchange.exchange(await signed(key, claims), row.id, 'request')
  await exchanged()
  // In the other database, the same version of the trust requires something else.
  await sql.tx((tx) => tx.script(`update trusts set claims = '[{"name":"project_id","value":"2"}]'`))
  await exchanged()
  replace()
  await expect(exchanged()).rejects.toThrow('project_id')
})
