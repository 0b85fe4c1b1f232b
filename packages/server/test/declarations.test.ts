/** What a project expects of its variables: who declares, what is refused on each path of a write, and what a check finds. */
import { limits, type Declaration } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { tenantAt, useTestEnv, write } from '../testkit/test-env.ts'
import { VaultClient } from '../testkit/vault.ts'
import { blog, dev, prod, Scene, shop } from './access/scene.ts'

const testEnv = useTestEnv()
const canary = 'CANARY_IN_VALUE'
const port: Declaration = { name: 'PORT', declaredType: 'int64', constraint: { format: 'port' }, required: 'all' }
const refusal =
  '"PORT" must be a port from 1 to 65535 (format port), as the project declares: correct the variable, or change its declaration first.'

async function declare(scene: Scene, declarations: readonly Declaration[], projectSlug = 'shop') {
  return scene.asOwner('declarationSet', { projectSlug, declarations })
}

/** Returns 'ok' or the message of a refusal, which is INVALID_REQUEST and never quotes a value. */
async function outcomeOf(scene: Scene, name: Parameters<Scene['call']>[0], input: object): Promise<string> {
  const token = await testEnv.provider.confirmedTokenOf(scene.owner.user)
  const { status, body, text } = await scene.call(name, input, token)
  expect(text).not.toContain(canary)
  if (status === 200) return 'ok'
  expect(body.error.code).toBe('INVALID_REQUEST')
  return body.error.message
}

async function checkOf(scene: Scene, at: object, token?: string) {
  const { body } = await scene.call('declarationCheck', at, token ?? (await scene.tokenOf(scene.owner.user, true)))
  return {
    problems: (body['problems'] as { name: string; problem: string }[]).map(
      ({ name, problem }) => `${name} ${problem}`,
    ),
    valuesChecked: body['valuesChecked'],
  }
}

const writing = (...entries: object[]) => ({ mode: 'upsert', entries })

test('the result of a template keeps what is declared of it, also when only its source is written', async () => {
  const scene = await Scene.open(testEnv)
  await declare(scene, [{ name: 'URL', constraint: { pattern: '^https://' } }])
  const template = { ...secret('URL', '${SCHEME}://shop.example.com'), template: true }
  const refused = '"URL" must match the pattern ^https://, as the project declares: '
  const bad = writing(secret('SCHEME', 'ftp'), template)
  expect(await outcomeOf(scene, 'write', { ...dev, ...bad })).toContain(refused)
  expect(await outcomeOf(scene, 'changePropose', { ...dev, reason: 'why', entries: bad.entries })).toContain(refused)
  expect(await outcomeOf(scene, 'write', { ...dev, ...writing(secret('SCHEME', 'https'), template) })).toBe('ok')
  expect(await outcomeOf(scene, 'write', { ...dev, ...writing(secret('SCHEME', 'ftp')) })).toContain(refused)
})

test('declarations are set, listed, replaced by a document and deleted, and the audit log names them', async () => {
  const scene = await Scene.open(testEnv)
  expect(await declare(scene, [port, { name: 'B', owner: 'Payments', rotateEveryDays: 30 }])).toMatchObject({
    created: ['B', 'PORT'],
    updated: [],
    deleted: [],
  })
  expect(await declare(scene, [port, { name: 'B' }])).toMatchObject({ created: [], updated: ['B'], deleted: [] })
  const { declarations } = await scene.asOwner('declarationList', shop)
  const by = { updatedAtMs: expect.any(Number), updatedBy: scene.owner.user.userId }
  expect(declarations).toEqual([
    { name: 'B', ...by },
    { ...port, ...by },
  ])
  const { document } = await scene.asOwner('declarationDocument', shop)
  expect(document.required).toEqual(['PORT'])
  delete document.properties.B
  document.properties.C = { enum: ['a'], 'x-rollkey': { required: 'production' } }
  expect(await scene.asOwner('declarationReplace', { ...shop, document })).toMatchObject({
    created: ['C'],
    updated: [],
    deleted: ['B'],
  })
  expect(await scene.asOwner('declarationDelete', { ...shop, names: ['PORT', 'none'] })).toMatchObject({
    deleted: ['PORT'],
  })
  const { entries } = await scene.asOwner('audit', { projectSlug: 'shop', limit: 6 })
  const ofDeclarations = entries.filter(({ action }: { action: string }) => action.startsWith('declaration.'))
  expect(ofDeclarations.map((entry: { action: string; names: string[] }) => [entry.action, entry.names])).toEqual([
    ['declaration.delete', ['PORT']],
    ['declaration.delete', ['B']],
    ['declaration.set', ['C']],
    ['declaration.set', ['B']],
    ['declaration.set', ['B', 'PORT']],
  ])
  expect((await scene.asOwner('declarationDocument', { projectSlug: 'blog' })).document.properties).toEqual({})
})

test.each([
  [{ declarations: [{ name: 'A', constraint: { pattern: '(?=a)' } }] }, /^constraint\.pattern of "A" has lookaround/],
  [{ declarations: [{ name: 'A', required: 'dev' }] }, /^required of "A" must be "all", "production" or a list/],
  [{ declarations: [{ name: 'A' }, { name: 'A' }] }, /^declarations must name a variable only once/],
  [
    { document: { properties: { A: { minLength: 'x' } } } },
    /^document: the property "A" is not a declaration \(constraint.minLength: /,
  ],
  [{ document: { oneOf: [] } }, /^document: the keyword "oneOf" of the document is not supported: /],
])('%j is refused', async (input, message) => {
  const scene = await Scene.open(testEnv)
  const name = 'document' in input ? 'declarationReplace' : 'declarationSet'
  expect(await outcomeOf(scene, name, { ...shop, ...input })).toMatch(message)
})

test('a project has a maximum size of declarations', async () => {
  const scene = await Scene.open(testEnv)
  const large = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `V${from + index}`, description: 'd'.repeat(1_000) }))
  await declare(scene, large(0, 1_000))
  expect(await outcomeOf(scene, 'declarationSet', { ...shop, declarations: large(1_000, 50) })).toMatch(
    new RegExp(`bytes \\(maximum ${limits.declarationsBytes}\\): shorten or delete some`),
  )
  const properties = Object.fromEntries(
    Array.from({ length: limits.declarations + 1 }, (_, index) => [`V${index}`, {}]),
  )
  expect(await outcomeOf(scene, 'declarationReplace', { ...shop, document: { properties } })).toMatch(
    /^document has 10001 properties \(maximum 10000\)/,
  )
  const required = Array.from({ length: limits.declarations + 1 }, () => 'V0')
  expect(
    await outcomeOf(scene, 'declarationReplace', { ...shop, document: { properties: { V0: {} }, required } }),
  ).toMatch(/^document requires 10001 names \(maximum 10000\)/)
})

test('a declaration changes no stored value, and a write that contradicts it is refused', async () => {
  const scene = await Scene.open(testEnv)
  await write(testEnv, tenantAt(scene.owner, dev), [secret('PORT', canary), secret('LEVEL', canary)])
  await declare(scene, [
    port,
    { name: 'LEVEL', constraint: { enum: ['info', 'debug'] } },
    { name: 'R', declaredType: 'boolean' },
  ])
  expect((await scene.asOwner('evaluate', { ...dev, name: 'PORT' })).value).toBe(canary)
  const outcomes = [
    await outcomeOf(scene, 'write', { ...dev, ...writing(secret('PORT', canary)) }),
    await outcomeOf(scene, 'write', { ...dev, ...writing(secret('PORT', '8080', 'float')) }),
    await outcomeOf(scene, 'write', { ...dev, ...writing(secret('LEVEL', canary)) }),
    await outcomeOf(scene, 'write', { ...dev, ...writing(roll('R', 0.5, 'true', canary)) }),
    // What writes no value is not asked.
    await outcomeOf(scene, 'update', { ...dev, updates: [{ name: 'PORT', description: 'Where it listens' }] }),
    await outcomeOf(scene, 'update', { ...dev, updates: [{ name: 'R', chance: 0.5, pins: { a: ['one'], b: [] } }] }),
    await outcomeOf(scene, 'write', { ...dev, ...writing(secret('PORT', '8080'), secret('LEVEL', 'info')) }),
  ]
  const instead = ', as the project declares: correct the variable, or change its declaration first.'
  expect(outcomes).toEqual([
    refusal.replace('a port from 1 to 65535 (format port)', 'a whole number (int64)'),
    `"PORT" must have the declared type int64, not float${instead}`,
    `"LEVEL" must be one of "info", "debug"${instead}`,
    `"R" must be true or false${instead}`,
    'ok',
    'ok',
    'ok',
  ])
})

/** Each path that writes values, with a value that contradicts: the message, or what is done first and then the call. */
const paths: Readonly<Record<string, (scene: Scene) => Promise<string>>> = {
  write: (scene) => outcomeOf(scene, 'write', { ...prod, ...writing(secret('PORT', '70000')) }),
  copy: async (scene) => {
    await write(testEnv, tenantAt(scene.owner, blog), [secret('PORT', '70000')])
    return outcomeOf(scene, 'copy', { from: blog, to: prod, names: ['PORT'] })
  },
  restore: (scene) => outcomeOf(scene, 'restore', { ...prod, revision: 2, names: ['PORT'] }),
  'proposed change': (scene) =>
    outcomeOf(scene, 'changePropose', { ...prod, reason: 'why', entries: [secret('PORT', '70000')] }),
  'proposed copy': async (scene) => {
    await write(testEnv, tenantAt(scene.owner, blog), [secret('PORT', '70000')])
    return outcomeOf(scene, 'changePropose', { ...prod, reason: 'why', copy: { from: blog, names: ['PORT'] } })
  },
  'proposed restore': (scene) =>
    outcomeOf(scene, 'changePropose', { ...prod, reason: 'why', restore: { revision: 2, names: ['PORT'] } }),
  'applied change': async (scene) => {
    await scene.asOwner('declarationDelete', { ...shop, names: ['PORT'] })
    const { id, digest } = await scene.asOwner('changePropose', {
      ...prod,
      reason: 'why',
      entries: [secret('PORT', '70000')],
    })
    await declare(scene, [port])
    return outcomeOf(scene, 'changeApply', { ...prod, id, digest })
  },
  'Vault protocol': async (scene) => {
    const vault = new VaultClient(testEnv.app.url)
    const token = await scene.machine('service token', { name: 'ci', role: 'developer' })
    const { status, body } = await vault.send('PATCH', 'shop/data/prod', { token, body: { data: { PORT: '70000' } } })
    expect(status).toBe(400)
    return String((body as { errors: string[] }).errors[0])
  },
}

test.each(Object.entries(paths))('a value that contradicts is refused on the path: %s', async (_, attempt) => {
  const scene = await Scene.open(testEnv)
  await write(testEnv, tenantAt(scene.owner, prod), [secret('PORT', '70000')])
  await write(testEnv, tenantAt(scene.owner, prod), [secret('PORT', '80')])
  await declare(scene, [port])
  expect(await attempt(scene)).toContain(refusal)
  expect((await scene.asOwner('evaluate', { ...prod, name: 'PORT' })).value).toBe('80')
})

test('a proposed change that states no value is applied, although the stored value contradicts', async () => {
  const scene = await Scene.open(testEnv)
  await write(testEnv, tenantAt(scene.owner, prod), [secret('PORT', '70000')])
  await declare(scene, [port])
  const updates = [{ name: 'PORT', description: 'Where it listens' }]
  const { id, digest } = await scene.asOwner('changePropose', { ...prod, reason: 'why', updates })
  expect(await outcomeOf(scene, 'changeApply', { ...prod, id, digest })).toBe('ok')
})

test('what a stage requires is not deleted, unless the declaration goes first', async () => {
  const scene = await Scene.open(testEnv)
  await write(testEnv, tenantAt(scene.owner, prod), [secret('LATER', '1')])
  await declare(scene, [
    { name: 'A', required: 'production' },
    { name: 'LATER', required: 'all' },
    { name: 'R', required: ['dev'] },
  ])
  const deleting = (at: object, name: string) =>
    outcomeOf(scene, 'write', { ...at, mode: 'upsert', entries: [], deletes: [name] })
  const required = (name: string, stage: string) =>
    `"${name}" is required in ${stage}, as the project declares: keep it, or change its declaration first.`
  expect([
    await deleting(prod, 'A'),
    await deleting(dev, 'R'),
    await outcomeOf(scene, 'restore', { ...prod, revision: 1 }),
    await outcomeOf(scene, 'changePropose', { ...prod, reason: 'why', deletes: ['A'] }),
  ]).toEqual([required('A', 'prod'), required('R', 'dev'), required('LATER', 'prod'), required('A', 'prod')])
  expect([await deleting(dev, 'A'), await deleting(prod, 'R')]).toEqual(['ok', 'ok'])
  await scene.asOwner('declarationDelete', { ...shop, names: ['A'] })
  expect(await deleting(prod, 'A')).toBe('ok')
})

describe('a check', () => {
  test('finds what a stage lacks or has otherwise, and no value leaves', async () => {
    const scene = await Scene.open(testEnv)
    await write(testEnv, tenantAt(scene.owner, dev), [
      secret('PORT', canary),
      { ...secret('OPEN', canary), exposure: 'plain' },
      secret('TYPED', '1', 'float'),
    ])
    await declare(scene, [
      port,
      { name: 'A' },
      { name: 'R', declaredType: 'string' },
      { name: 'OPEN', exposure: 'secret' },
      { name: 'TYPED', declaredType: 'int64' },
      { name: 'LACKING', required: ['dev'] },
      { name: 'ELSEWHERE', required: 'production' },
    ])
    expect(await checkOf(scene, dev)).toEqual({
      problems: ['CANARY_OF_SHOP_DEV undeclared', 'LACKING missing', 'OPEN exposure', 'PORT malformed', 'TYPED type'],
      valuesChecked: true,
    })
    const document = { properties: { PORT: { type: 'string' }, NEW: {} }, required: ['NEW'] }
    expect((await checkOf(scene, { ...dev, document })).problems).toEqual(
      ['A', 'CANARY_OF_SHOP_DEV', 'OPEN', 'R', 'TYPED']
        .map((name) => `${name} undeclared`)
        .toSpliced(2, 0, 'NEW missing'),
    )
    expect((await checkOf(scene, prod)).problems).toEqual([
      'CANARY_OF_SHOP_PROD undeclared',
      'ELSEWHERE missing',
      'PORT missing',
    ])
  })

  test('compares values only for those who may read them, and on a protected stage after a confirmation', async () => {
    const scene = await Scene.open(testEnv)
    await write(testEnv, tenantAt(scene.owner, prod), [secret('PORT', canary)])
    await declare(scene, [port])
    await scene.setDefaultRole('none')
    await scene.grant(scene.owner.user, 'releaser', prod)
    const [lister, reader] = [scene.member(), scene.member()]
    await scene.grant(lister, await scene.role('list'), prod)
    await scene.grant(reader, 'reader', prod)
    const machine = await scene.machine('service token', { name: 'ci', role: 'reader', ...prod })
    const checked = async () => {
      const tokens = [
        await scene.tokenOf(lister),
        await scene.tokenOf(reader),
        await scene.tokenOf(reader, true),
        machine,
      ]
      const answers = await Promise.all(tokens.map((token) => checkOf(scene, prod, token)))
      return answers.map(({ problems, valuesChecked }) => [problems.includes('PORT malformed'), valuesChecked])
    }
    const [no, yes] = [
      [false, false],
      [true, true],
    ]
    expect(await checked()).toEqual([no, yes, yes, yes])
    await scene.protect(prod)
    await scene.grant(reader, 'reader', prod)
    const isolated = await scene.machine('service token', { name: 'ci', role: 'reader', ...prod })
    expect((await checked()).slice(0, 3)).toEqual([no, no, yes])
    expect((await checkOf(scene, prod, isolated)).valuesChecked).toBe(true)
  })
})

test('the declarations of a project end with it, and an archived project keeps them', async () => {
  const scene = await Scene.open(testEnv)
  await declare(scene, [port])
  await scene.asOwner('projectUpdate', { ...shop, archived: true })
  expect(await outcomeOf(scene, 'declarationDelete', { ...shop, names: ['PORT'] })).toMatch(/^The project is archived/)
  expect((await scene.asOwner('declarationList', shop)).declarations).toHaveLength(1)
  await scene.asOwner('projectDelete', { ...shop, confirm: 'shop' })
  await scene.asOwner('projectCreate', shop)
  expect((await scene.asOwner('declarationList', shop)).declarations).toEqual([])
})
