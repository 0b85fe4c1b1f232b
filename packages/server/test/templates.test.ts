/** Tests templates: their results and errors through every path that writes, and that they show no source to anyone who may not see it. */
import { describe, expect, test } from 'vitest'
import { Canaries } from '../testkit/canaries.ts'
import { newUser, type Answer } from '../testkit/client.ts'
import { roll, secret } from '../testkit/entries.ts'
import { OfrepClient } from '../testkit/ofrep.ts'
import { runMain } from '../testkit/process.ts'
import { query } from '../testkit/store.ts'
import { newOwner, newTenant, tenantAt, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const testEnv = useTestEnv()
const url = 'postgres://app:${PASSWORD}@db/app'

function template(name: string, text: string, more: object = {}): object {
  return { ...secret(name, text), template: true, ...more }
}

function call(
  { at, token }: TestTenant,
  name: Parameters<typeof testEnv.client.call>[0],
  more: object,
): Promise<Answer> {
  return testEnv.client.call(name, { ...at, ...more }, { token })
}

function must({ at, token }: TestTenant, name: Parameters<typeof testEnv.client.call>[0], more: object = {}) {
  return testEnv.client.must(name, { ...at, ...more }, { token })
}

async function valuesOf(tenant: TestTenant): Promise<Record<string, string>> {
  return (await must(tenant, 'pull')).variables
}

/** Returns the refusal of a write. */
async function refusal(tenant: TestTenant, request: object, name: 'write' | 'update' | 'changePropose' = 'write') {
  const { status, body } = await call(tenant, name, name === 'write' ? { mode: 'upsert', ...request } : request)
  return `${status} ${body.error?.code} ${body.error?.message}`
}

describe('a template', () => {
  test('is served as its result, and shown with its text where values are shown', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [
      secret('PASSWORD', 'p${A}ss'),
      template('URL', url, { description: 'd' }),
      { ...roll('R', 1, '${URL}?a', '$${b}'), template: true },
      template('NONE', 'text'),
    ])
    const result = 'postgres://app:p${A}ss@db/app'
    expect(await valuesOf(tenant)).toEqual({ PASSWORD: 'p${A}ss', URL: result, R: `${result}?a`, NONE: 'text' })
    expect(await must(tenant, 'evaluate', { name: 'URL' })).toMatchObject({ value: result })
    for (const name of ['list', 'manifest', 'digests'] as const) {
      const { variables } = await must(tenant, name)
      expect(variables).toMatchObject([
        { name: 'NONE', template: true, sources: [] },
        { name: 'PASSWORD' },
        { name: 'R', template: true, sources: ['URL'] },
        { name: 'URL', template: true, sources: ['PASSWORD'], description: 'd' },
      ])
      expect(variables[1]).not.toHaveProperty('template')
    }
    const revealed = (await must(tenant, 'reveal', { names: ['URL', 'R', 'PASSWORD'] })).variables
    expect(revealed).toEqual([
      { name: 'URL', kind: 'secret', value: result, template: url, description: 'd' },
      {
        name: 'R',
        kind: 'ab_roll',
        chance: 1,
        valueA: `${result}?a`,
        valueB: '${b}',
        templateA: '${URL}?a',
        templateB: '$${b}',
      },
      secret('PASSWORD', 'p${A}ss'),
    ])
  })

  test('follows its sources in the revision that changes them, with entries of an update', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('A', '1'), template('B', 'b${A}'), template('C', 'c${B}'), template('D', 'd')])
    const answer = await write(testEnv, tenant, [secret('A', '2')])
    expect(answer).toMatchObject({ created: [], updated: ['A', 'B', 'C'], deleted: [], revision: 2 })
    expect(await valuesOf(tenant)).toEqual({ A: '2', B: 'b2', C: 'cb2', D: 'd' })
    const { changes } = await must(tenant, 'history', { name: 'C' })
    expect(changes).toMatchObject([
      { revision: 2, change: 'updated', template: true, sources: ['B'] },
      { revision: 1, change: 'created' },
    ])
    const { entries } = await testEnv.client.must('audit', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
    expect(entries[0]).toMatchObject({ action: 'variable.update', names: ['A', 'B', 'C'], revision: 2 })
    // A write that leaves the results as they are writes no dependents.
    expect(await write(testEnv, tenant, [secret('A', '2')])).toMatchObject({ updated: ['A'] })
    await testEnv.restart()
    expect(await write(testEnv, tenant, [secret('A', '3')])).toMatchObject({ updated: ['A', 'B', 'C'] })
    expect(await valuesOf(tenant)).toMatchObject({ C: 'cb3' })
  })

  test('is kept by what changes no value, and replaced by an entry that states one', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1'), { ...roll('R', 0.5, '${A}', 'b'), template: true }])
    await must(tenant, 'update', { updates: [{ name: 'R', chance: 1, description: 'x', pin: { a: ['s'] } }] })
    await must(tenant, 'update', { updates: [{ name: 'R', chance: 1 }] })
    await write(testEnv, tenant, [secret('A', '2')])
    expect(await valuesOf(tenant)).toEqual({ A: '2', R: '2' })
    await write(testEnv, tenant, [roll('R', 1, '${A}', 'b')])
    expect(await valuesOf(tenant)).toEqual({ A: '2', R: '${A}' })
    expect((await must(tenant, 'list')).variables[1]).not.toHaveProperty('sources')
  })

  test('stays through a rotation of data keys, a copy, a restore and an applied change', async () => {
    const tenant = await newTenant(testEnv)
    const other = tenantAt(tenant, { stageSlug: 'test' })
    await write(testEnv, tenant, [secret('PASSWORD', 'one'), template('URL', url)])
    await query(testEnv.app.dataDir, 'update data_keys set created_at_ms = created_at_ms - $1', 2 * 60 * 60_000)
    await runMain({ DATA_DIR: testEnv.app.dataDir }, ['data-key', 'rotate'])
    await write(testEnv, tenant, [secret('PASSWORD', 'two')])
    expect(await valuesOf(tenant)).toMatchObject({ URL: 'postgres://app:two@db/app' })

    await write(testEnv, other, [secret('PASSWORD', 'of test')])
    const { orgSlug, ...from } = tenant.at
    const { orgSlug: _, ...to } = other.at
    await testEnv.client.must('copy', { orgSlug, from, to, names: ['URL'] }, { token: tenant.token })
    expect(await valuesOf(other)).toMatchObject({ URL: 'postgres://app:of test@db/app' })

    await write(testEnv, tenant, [], { deletes: ['URL'] })
    await write(testEnv, tenant, [secret('PASSWORD', 'three')])
    await must(tenant, 'restore', { revision: 1, names: ['URL'] })
    expect(await valuesOf(tenant)).toMatchObject({ URL: 'postgres://app:three@db/app' })
    await must(tenant, 'restore', { revision: 1, names: ['PASSWORD'] })
    expect(await valuesOf(tenant)).toMatchObject({ URL: 'postgres://app:one@db/app' })
    expect((await must(tenant, 'history', { name: 'URL' })).changes[0]).toMatchObject({ change: 'updated' })

    const entries = [template('URL', '${PASSWORD}!'), template('NEXT', '${URL}?')]
    const { id } = await must(tenant, 'changePropose', { reason: 'Because', entries })
    expect((await must(tenant, 'changeReveal', { id, names: ['NEXT'] })).variables).toEqual([
      { name: 'NEXT', kind: 'secret', value: 'one!?', template: '${URL}?' },
    ])
    await write(testEnv, tenant, [secret('OTHER', 'x')])
    await must(tenant, 'changeApply', { id })
    expect(await valuesOf(tenant)).toMatchObject({ URL: 'one!', NEXT: 'one!?' })
  })

  test('is refused with its name and its source, and never with a value', async () => {
    const tenant = await newTenant(testEnv)
    const value = 'canary-value'
    await write(testEnv, tenant, [
      secret('A', value),
      secret('LARGE', 'x'.repeat(40_000)),
      { ...secret('PLAIN', 'p'), exposure: 'plain' },
      roll('R', 0.5),
      template('T', '${A}'),
      template('SHOWN', '${PLAIN}', { exposure: 'plain' }),
      ...Array.from({ length: 8 }, (_, at) => template(`T${at + 1}`, at === 0 ? '${A}' : `\${T${at}}`)),
    ])
    const refused: [request: object, ...parts: string[]][] = [
      [{ entries: [template('N', '${MISSING}')] }, '"N"', '"MISSING"', 'does not have'],
      [{ entries: [template('N', 'canary-text${')] }, '"N"', 'after 11 characters'],
      [{ entries: [template('N', '${R}')] }, '"N"', '"R"', 'roll'],
      [{ entries: [template('N', '${N}')] }, '"N"', 'itself'],
      [{ entries: [template('A', '${T}')] }, '"A"', '"T"', 'itself'],
      [{ entries: [template('N', '${T8}')] }, '"N"', '"T8"', 'maximum 8'],
      [{ entries: [template('A', '${PLAIN}')] }, '"T8"', '"T7"', 'maximum 8'],
      [{ entries: [template('N', '${LARGE}${LARGE}')] }, '"N"', '"LARGE"', '65536'],
      [{ entries: [template('N', '${A}', { declaredType: 'int64' })] }, '"N"', 'whole number'],
      [{ entries: [template('N', '${A}', { exposure: 'plain' })] }, '"N"', '"A"', 'exposure'],
      [{ entries: [roll('A', 0.5)] }, '"A"', 'roll'],
      [{ deletes: ['A'] }, '"A"', '"T"', '"T1"'],
      [{ entries: [{ ...secret('PLAIN', 'p'), exposure: 'secret' }] }, '"SHOWN"', '"PLAIN"', 'exposure'],
    ]
    for (const [request, ...parts] of refused)
      for (const name of ['write', 'changePropose'] as const) {
        const message = await refusal(tenant, { reason: 'Because', ...request }, name)
        for (const part of ['400 INVALID_REQUEST', ...parts]) expect(message).toContain(part)
        expect(message).not.toContain('canary')
      }
    for (const updates of [[{ name: 'PLAIN', exposure: 'secret' }], [{ name: 'T', exposure: 'client' }]])
      expect(await refusal(tenant, { updates }, 'update')).toContain('400 INVALID_REQUEST The template "')
    expect((await valuesOf(tenant))['A']).toBe(value)
    await write(testEnv, tenant, [], { deletes: ['PLAIN', 'SHOWN'] })
  })

  test('of a thousand follow one source in one revision', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    await write(
      testEnv,
      tenant,
      Array.from({ length: 999 }, (_, at) => template(`T${at}`, `${at} \${A}`)),
    )
    const { updated, revision } = await write(testEnv, tenant, [secret('A', '2')])
    expect([updated.length, revision]).toEqual([1_000, 3])
    const values = Object.values(await valuesOf(tenant))
    expect(values.filter((value) => !value.endsWith('2'))).toEqual([])
  })
})

describe('a source', () => {
  test('is in no answer to who may not see it: not before, not after it was hidden or deleted', async () => {
    const canaries = new Canaries()
    const [hidden, shown] = [canaries.plant('a secret source'), 'shown-for-now']
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [
      secret('S', hidden),
      { ...secret('P', shown), exposure: 'plain' },
      template('OF_S', '${S} ${P}'),
      template('OF_P', '${P}!', { exposure: 'plain' }),
      template('OF_OF_P', '${OF_P}?', { exposure: 'plain' }),
    ])
    const { key } = await must(tenant, 'keyCreate', { name: 'web', origins: ['https://shop.example'] })
    const ofrep = new OfrepClient(testEnv.app.url)
    const places = async (): Promise<string> => {
      const answers = [
        ...(await Promise.all(
          (['list', 'manifest', 'digests', 'history', 'plain', 'plainHistory', 'ruleset'] as const).map((name) =>
            call(tenant, name, {}),
          ),
        )),
        await ofrep.all({ targetingKey: 'user-1' }, { token: key }),
      ]
      return answers.map(({ text }) => text).join('\n')
    }
    const before = await places()
    canaries.expectNoneIn('the answers', before)
    expect(before).toContain(`${shown}!?`)
    // The text of a template is in its fields and nowhere else.
    expect(before.replaceAll(/"template":"[^"]*"/g, '')).not.toContain('${')
    expect(before).toContain('"template":"${P}!"')
    const { body } = await call(tenant, 'ruleset', {})
    for (const variable of body.variables) expect(variable).not.toHaveProperty('sources')
    // The templates go, and then their source becomes secret.
    await write(testEnv, tenant, [], { deletes: ['OF_OF_P'] })
    await write(testEnv, tenant, [{ ...secret('OF_P', 'plain text'), exposure: 'plain' }])
    await write(testEnv, tenant, [{ ...secret('P', 'next'), exposure: 'secret' }])
    expect(await places()).not.toContain(shown)
    await write(testEnv, tenant, [], { deletes: ['S', 'OF_S', 'P'] })
    const after = await places()
    expect(after).not.toContain(shown)
    canaries.expectNoneIn('the answers', after)
  })

  test('is named only by a caller who may read it', async () => {
    const tenant = await newOwner(testEnv)
    const { orgSlug } = tenant.at
    await write(testEnv, tenant, [secret('A', '1'), template('T', '${A}')])
    const asOwner = { token: tenant.token }
    await testEnv.client.must('roleSet', { orgSlug, name: 'writer', verbs: ['list', 'write'] }, asOwner)
    await testEnv.client.must('organizationUpdate', { orgSlug, defaultRole: 'viewer' }, asOwner)
    const person = newUser(orgSlug)
    const { accessToken: token } = await testEnv.client.login(person)
    const principal = { kind: 'user', id: person.userId }
    await testEnv.client.must('accessGrant', { orgSlug, principal, role: 'writer' }, asOwner)
    const writer = { ...tenant, token }
    expect(await refusal(writer, { entries: [template('N', '${A}')] })).toContain('403 FORBIDDEN')
    expect(await refusal(writer, { entries: [secret('B', '1')] })).toContain('200')
    const entries = [template('N', '${A}', { declaredType: 'int64' })]
    expect(await refusal(writer, { entries })).toContain('403 FORBIDDEN')
    expect(await refusal(writer, { reason: 'Because', entries }, 'changePropose')).toContain('403 FORBIDDEN')
  })
})
