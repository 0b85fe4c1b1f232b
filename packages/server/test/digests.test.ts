import { createHash } from 'node:crypto'
import type { Digested } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { usageOf } from '../testkit/app.ts'
import { roll, secret } from '../testkit/entries.ts'
import { query } from '../testkit/store.ts'
import { newTenant, tenantAt, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const testEnv = useTestEnv()

/** Returns the digests of the tenant's stage, or of another one, by name. */
async function digestsOf({ at, token }: TestTenant, more: object = {}): Promise<Record<string, Digested['digests']>> {
  const { variables } = await testEnv.client.must('digests', { ...at, ...more }, { token })
  return Object.fromEntries((variables as Digested[]).map(({ name, digests }) => [name, digests]))
}

describe('digests', () => {
  test('contain what list contains, and for each role a digest that cannot be guessed from values', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('S', 'true', 'boolean'), roll('R', 0.25, 'one', 'two')])
    const { variables, revision } = await testEnv.client.must('digests', tenant.at, { token: tenant.token })
    const digest = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)
    const last = { updatedAtMs: expect.closeTo(testEnv.clock.now(), -5), updatedBy: tenant.user.userId }
    expect(revision).toBe(1)
    expect(variables).toEqual([
      { name: 'R', kind: 'ab_roll', chance: 0.25, digests: { a: digest, b: digest }, ...last },
      { name: 'S', kind: 'secret', declaredType: 'boolean', digests: { value: digest }, ...last },
    ])
    const plain = createHash('sha256').update('true').digest('base64url')
    expect(variables[1].digests.value).not.toBe(plain)
  })

  test('are equal exactly where values are equal, across stages, projects, names and roles', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', 'same'), secret('B', 'Same'), secret('EMPTY', '')])
    await write(testEnv, tenantAt(tenant, { stageSlug: 'test' }), [
      secret('A', 'same'),
      roll('R', 0.5, 'same', 'other'),
    ])
    await write(testEnv, tenantAt(tenant, { projectSlug: 'api' }), [
      secret('C', 'same', 'string'),
      secret('D', 'same '),
    ])
    const here = await digestsOf(tenant)
    const there = await digestsOf(tenant, { stageSlug: 'test' })
    const far = await digestsOf(tenant, { projectSlug: 'api' })
    const same = here['A']?.value
    expect([there['A']?.value, there['R']?.a, far['C']?.value]).toEqual([same, same, same])
    const all = [same, here['B']?.value, here['EMPTY']?.value, there['R']?.b, far['D']?.value]
    expect(new Set(all).size).toBe(all.length)
  })

  test('are never equal across two organizations', async () => {
    const tenants = [await newTenant(testEnv), await newTenant(testEnv)]
    for (const tenant of tenants) await write(testEnv, tenant, [secret('A', 'same')])
    const [one, two] = await Promise.all(tenants.map((tenant) => digestsOf(tenant)))
    expect(one?.['A']?.value).not.toBe(two?.['A']?.value)
  })

  test('survive another write of the same value and a restart', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', 'kept'), secret('B', 'old')])
    const before = await digestsOf(tenant)
    await write(testEnv, tenant, [secret('A', 'kept'), secret('B', 'new')])
    await testEnv.restart()
    const after = await digestsOf(tenant)
    expect(after['A']).toEqual(before['A'])
    expect(after['B']).not.toEqual(before['B'])
  })

  test('are the same whether the stage is opened as a whole or value by value', async () => {
    const tenant = await newTenant(testEnv)
    const values = Array.from({ length: 60 }, (_, i) => '"\\\n\u0000 ü 🚀'.repeat(i))
    await write(
      testEnv,
      tenant,
      values.map((value, i) => secret(`N${i}`, value)),
    )
    const whole = await digestsOf(tenant)
    for (const i of [0, 1, 30, 59]) {
      const alone = tenantAt(tenant, { stageSlug: `only-${i}` })
      await write(testEnv, alone, [secret('ALONE', values[i] ?? '')])
      expect(whole[`N${i}`], `N${i}`).toEqual((await digestsOf(alone))['ALONE'])
    }
  })

  test('are sorted by code point, and include a write of another node at once', async () => {
    const tenant = await newTenant(testEnv)
    const names = ['Z', 'a', '\uFB01', '\u{1F680}', '__proto__']
    for (const [index, name] of names.entries()) {
      await write(testEnv, tenant, [secret(name, name)])
      expect((await testEnv.client.must('digests', tenant.at, { token: tenant.token })).revision).toBe(index + 1)
    }
    const { variables } = await testEnv.client.must('digests', tenant.at, { token: tenant.token })
    expect((variables as Digested[]).map(({ name }) => name)).toEqual(['Z', '__proto__', 'a', '\uFB01', '\u{1F680}'])
  })

  test('show the state of one revision while others write', async () => {
    const tenant = await newTenant(testEnv)
    const both = (value: string) => write(testEnv, tenant, [secret('A', value), secret('B', value)])
    await both('first')
    const writes = 30
    const writing = (async () => {
      for (let i = 0; i < writes; i++) await both(`${i}`)
    })()
    const read = async () => {
      const answers = []
      do answers.push(await testEnv.client.must('digests', tenant.at, { token: tenant.token }))
      while ((answers.at(-1)?.revision as number) <= writes)
      return answers
    }
    const answers = (await Promise.all([read(), read(), read()])).flat()
    await writing
    expect(new Set(answers.map(({ revision }) => revision as number)).size).toBeGreaterThan(2)
    const { changes } = await testEnv.client.must('history', { ...tenant.at, name: 'A' }, { token: tenant.token })
    const known = new Map(
      (changes as { revision: number; digests: object }[]).map(({ revision, digests }) => [revision, digests]),
    )
    for (const { variables, revision } of answers) {
      expect((variables as Digested[]).map(({ digests }) => digests)).toEqual([
        known.get(revision),
        known.get(revision),
      ])
    }
  })

  test('are empty for a stage that does not exist, at revision 0', async () => {
    const { at, token } = await newTenant(testEnv)
    expect(await testEnv.client.must('digests', at, { token })).toMatchObject({ variables: [], revision: 0 })
  })

  test('are not billed, and take no request key', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    const headers = { 'x-service-request-key': 'not looked at: has spaces' }
    await testEnv.client.must('digests', tenant.at, { token: tenant.token, headers })
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(0)
  })

  test('are empty for a value that does not open. Its neighbors keep theirs, and the log has the reason', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('WELL', 'g'), secret('DAMAGED', 'b'), roll('DAMAGED_ROLL', 0.5)])
    const { WELL } = await digestsOf(tenant)
    await testEnv.restart()
    await query(
      testEnv.app.dataDir,
      "update variables set sealed = (select sealed from variables where name = 'WELL') where name like 'DAMAGED%'",
    )
    expect(await digestsOf(tenant)).toEqual({ WELL, DAMAGED: {}, DAMAGED_ROLL: {} })
    expect(testEnv.app.log.filter((line) => line.includes('stored value cannot be opened'))).toHaveLength(1)
  })
})
