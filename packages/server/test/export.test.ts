/** Tests the export of an organization and its import into another installation. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { exportFormat, type Export } from '@rollkey/contract'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { beforeAll, expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { byOperator } from '../testkit/operator.ts'
import { useFolder } from '../testkit/folder.ts'
import { query } from '../testkit/store.ts'
import { newOwner, tenantAt, useTestEnv, write, type TestEnv, type TestTenant } from '../testkit/test-env.ts'

const folder = useFolder()
const file = (name: string): string => path.join(folder, name)
const canary = `canary-${crypto.randomUUID()}`
const decided = {
  labels: { a: 'new', b: 'former' },
  rules: [{ when: { plan: { in: ['pro'] } }, then: 'a' }],
  pins: { a: ['seed-1'], b: [] },
}
const declarations = [
  { name: 'EMPTY', description: 'Nothing\nyet', constraint: { maxLength: 3 }, required: ['prod'], example: '' },
  { name: 'LINES', constraint: { pattern: '^canary-' }, owner: 'Operations' },
]
const [from, to] = [useTestEnv(), useTestEnv()]
let source: TestTenant
let target: TestTenant
let identity: string
let recipient: string

function exportIn(name: string): Export {
  return exportFormat.parse(JSON.parse(readFileSync(file(name), 'utf8')))
}

beforeAll(async () => {
  identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
  writeFileSync(file('key'), `${identity}\n`)
  source = await newOwner(from)
  target = await newOwner(to)
  const { token, at } = source
  await write(from, source, [
    secret('LINES', `${canary}\n"quoted" \\ \u0000 Zoë 用户 🚀`),
    secret('__proto__', '-9223372036854775808', 'int64'),
    { ...secret('EMPTY', ''), exposure: 'plain', description: 'Nothing\nyet' },
    { ...secret('OF_EMPTY', '$${${EMPTY}'), template: true },
    { ...roll('ROLL', 0.25, 'on', 'off'), declaredType: 'string', ...decided },
  ])
  const many = tenantAt(source, { stageSlug: 'many' })
  for (const half of ['a', 'b']) {
    await write(
      from,
      many,
      Array.from({ length: 700 }, (_, i) => secret(`${half}${i}`, `${half}${i}`)),
    )
  }
  const empty = { orgSlug: at.orgSlug, projectSlug: 'empty' }
  await from.client.must('projectCreate', { ...empty, name: 'Nothing yet' }, { token })
  await from.client.must('stageCreate', { ...empty, stageSlug: 'dev', name: 'For development' }, { token })
  const { orgSlug, projectSlug } = at
  await from.client.must('declarationSet', { orgSlug, projectSlug, declarations }, { token })
  await from.client.must('stageUpdate', { ...many.at, archived: true, isProduction: true }, { token })
})

test('an import reproduces the values, kinds, types and names of an organization', async () => {
  const { organizations } = (await byOperator(from, 'organizations')) as { organizations: { slug: string }[] }
  expect(organizations.map(({ slug }) => slug)).toContain(source.at.orgSlug)
  const result = await byOperator(from, 'export', source.at.orgSlug, file('plain'))
  const counts = { projects: 2, variables: 1_405 }
  expect(result).toEqual({ file: file('plain'), organization: source.at.orgSlug, ...counts, unopened: [] })
  expect(statSync(file('plain')).mode & 0o777).toBe(0o600)
  await byOperator(from, 'export', source.at.orgSlug, file('sealed'), '--recipient', recipient)
  expect(readFileSync(file('sealed')).includes(canary)).toBe(false)
  // An import makes a variable what the file says, so these attributes do not stay.
  await write(to, target, [
    { ...secret('LINES', 'old'), exposure: 'client', description: 'Old' },
    { ...roll('ROLL', 1), pins: { b: ['seed-2'] } },
  ])
  const imported = await byOperator(to, 'import', file('sealed'), target.at.orgSlug, '--key-file', file('key'))
  expect(imported).toEqual({ organization: target.at.orgSlug, ...counts, stages: 3 })
  await byOperator(to, 'export', target.at.orgSlug, file('again'))
  const timeless = (name: string): unknown =>
    exportIn(name).projects.map((project) => ({
      ...project,
      stages: project.stages.map((stage) => ({ ...stage, revision: 0 })),
    }))
  expect(timeless('again')).toEqual(timeless('plain'))
  expect(exportIn('again').projects.map((project) => project.declarations)).toEqual([undefined, declarations])
  expect(exportIn('again').projects.map(({ stages }) => stages.map(({ archived }) => archived))).toEqual([
    [false],
    [false, true],
  ])
  expect(exportIn('plain').projects[1]?.stages[0]?.variables[4]).toEqual({
    name: '__proto__',
    kind: 'secret',
    value: '-9223372036854775808',
    declaredType: 'int64',
  })
  expect(exportIn('again').projects[1]?.stages[0]?.variables[2]).toMatchObject({ value: '${', template: '$${${EMPTY}' })
  const names = ['LINES', '__proto__', 'EMPTY', 'ROLL', 'OF_EMPTY']
  const revealed = async ({ client }: TestEnv, { at, token }: TestTenant) =>
    (await client.must('reveal', { ...at, names }, { token })).variables
  const [lines, , empty, rolled] = await revealed(to, target)
  expect(rolled).toMatchObject(decided)
  expect([lines.exposure, lines.description]).toEqual([undefined, undefined])
  expect(empty).toMatchObject({ exposure: 'plain', description: 'Nothing\nyet' })
  expect(await revealed(to, target)).toEqual(await revealed(from, source))
  // A repeated one changes nothing, and is refused where something is archived.
  const again = byOperator(to, 'import', file('plain'), target.at.orgSlug)
  await expect(again).rejects.toThrow(/is archived and cannot be changed: restore it from the archive first/)
  expect(await revealed(to, target)).toEqual(await revealed(from, source))
})

test('an export is recorded as done by the operator before the file exists', async () => {
  const entries = async (): Promise<unknown> => {
    const { orgSlug } = source.at
    return (await from.client.must('audit', { orgSlug, action: 'export' }, { token: source.token })).entries
  }
  const before = (await entries()) as unknown[]
  await expect(byOperator(from, 'export', source.at.orgSlug, folder)).rejects.toThrow(/cannot be created/)
  expect(await entries()).toMatchObject([{ action: 'export', how: 'operator', actor: 'operator' }, ...before])
})

test('a value that does not open is omitted and named, and the others are exported', async () => {
  const tenant = await newOwner(from)
  await write(from, tenant, [secret('GOOD', '1'), secret('MOVED', '2')])
  const stage = `(select stage_id from variables where name = 'MOVED')`
  const good = `(select sealed from variables where name = 'GOOD' and stage_id = ${stage})`
  await query(from.app.dataDir, `update variables set sealed = ${good} where name = 'MOVED'`)
  const result = await byOperator(from, 'export', tenant.at.orgSlug, file('damaged'))
  expect(result).toMatchObject({ variables: 1, unopened: ['shop/prod/MOVED'] })
  expect(exportIn('damaged').projects[0]?.stages[0]?.variables).toEqual([{ name: 'GOOD', kind: 'secret', value: '1' }])
})

test('error messages say what to do, and quote neither a value nor a key', async () => {
  const refused = async (...args: Parameters<typeof byOperator>): Promise<string> => {
    const { message } = (await byOperator(...args).catch((error: unknown) => error)) as Error
    for (const quoted of [canary, identity, identity.toLowerCase(), 'AGE-']) expect(message).not.toContain(quoted)
    return message
  }
  const { orgSlug } = target.at
  await byOperator(from, 'export', source.at.orgSlug, file('open'))
  await byOperator(from, 'export', source.at.orgSlug, file('closed'), '--recipient', recipient)
  expect(await refused(from, 'export', source.at.orgSlug, file('open'))).toMatch(/cannot be created \(EEXIST\)/)
  expect(await refused(from, 'export', source.at.orgSlug, file('closed'), '--recipient', recipient)).toMatch(
    /\(EEXIST\)/,
  )
  expect(await refused(from, 'export', source.at.orgSlug, file('new'), '--recipient', 'age1nonsense')).toMatch(
    /--recipient is not an age public key/,
  )
  expect(await refused(from, 'export', 'unknown', file('new'))).toMatch(/No organization/)
  expect(await refused(to, 'import', file('none'), orgSlug)).toMatch(/cannot be read \(ENOENT\)/)
  expect(await refused(to, 'import', file('none'), orgSlug, '--key-file', file('key'))).toMatch(
    /cannot be read \(ENOENT\)/,
  )
  expect(await refused(to, 'import', file('closed'), orgSlug)).toMatch(
    /is not an export .*: line \d+ is not UTF-8 text\. A sealed export also needs --key-file/,
  )
  expect(await refused(to, 'import', file('open'), orgSlug, '--key-file', file('key'))).toMatch(
    /damaged, truncated, or sealed/,
  )
  const wrong = identity.replace(/.$/, (last) => (last === 'Q' ? 'P' : 'Q'))
  writeFileSync(file('wrong.key'), wrong)
  expect(await refused(to, 'import', file('closed'), orgSlug, '--key-file', file('wrong.key'))).toMatch(
    /has no valid age secret key/,
  )
  const changed = exportIn('open')
  Object.assign(changed.projects[1]?.stages[1]?.variables[0] ?? {}, { value: { canary } })
  writeFileSync(file('changed'), JSON.stringify(changed))
  const written = exportIn('open')
  Object.assign(written.projects[1]?.stages[1]?.variables[0] ?? {}, { later: canary })
  writeFileSync(file('later'), JSON.stringify(written))
  expect(await refused(to, 'import', file('later'), orgSlug)).toMatch(
    /has projects\.1\.stages\.1\.variables\.0\.later, which this version of Rollkey does not know and would leave out/,
  )
  writeFileSync(file('latin1'), Buffer.from('{\n"ä": 1}', 'latin1'))
  expect(await refused(to, 'import', file('latin1'), orgSlug)).toMatch(
    /latin1 is not an export .*: line 2 is not UTF-8 text/,
  )
  expect(await refused(to, 'import', file('changed'), orgSlug)).toMatch(
    /projects\.1\.stages\.1\.variables\.0\.value does not match/,
  )
})
