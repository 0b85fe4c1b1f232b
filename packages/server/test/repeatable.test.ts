/** Each endpoint that its row in the contract calls repeatable, sent twice as after a lost answer. */
import { endpoints, isScoped, type EndpointName } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { query, tablesOf } from '../testkit/store.ts'
import { useTestEnv } from '../testkit/test-env.ts'
import { dev, prod, Scene, shop } from './access/scene.ts'

const testEnv = useTestEnv()

type RepeatableName = {
  [Name in EndpointName]: (typeof endpoints)[Name] extends { repeatable: true } ? Name : never
}[EndpointName]

/** Returns how many rows each table has, except those that note each call. */
async function rowCounts(): Promise<Record<string, number>> {
  const tables = await tablesOf(testEnv.app.dataDir)
  const names = [...tables.keys()].filter((name) => !/^audit|^variable_history$/.test(name))
  const counts = names.map((name) => `select '${name}' as name, count(*) as n from ${name}`)
  const rows = await query(testEnv.app.dataDir, counts.join(' union all '))
  return Object.fromEntries(rows.map((row) => [row['name'], Number(row['n'])]))
}

test('a repeated call is answered like the first, and makes nothing twice', async () => {
  const scene = await Scene.open(testEnv)
  const token = await testEnv.provider.confirmedTokenOf(scene.owner.user)
  const { userCode } = await testEnv.client.must('deviceStart', { clientName: 'test' })
  const { sessions } = await scene.asOwner('sessionList')
  const { id: group } = await scene.asOwner('groupCreate', { name: 'Team' })
  const someone = { kind: 'user', id: 'someone' }
  await scene.grant(scene.owner.user, 'releaser', prod)
  const { id, digest } = await scene.asOwner('changePropose', { ...prod, reason: 'why', deletes: ['A'] })
  const rules = { role: 'viewer', issuer: 'https://gitlab.com', claims: [{ name: 'project_id', value: '1' }] }
  const { id: trust } = await scene.asOwner('trustCreate', { name: 'ci', ...rules, ...prod })
  const { id: hook } = await scene.asOwner('hookCreate', { name: 'Deploys', url: 'https://example.com/hook' })
  /** A repeatable endpoint that is not here does not compile. */
  const inputs: Readonly<Record<RepeatableName, object>> = {
    write: { ...dev, mode: 'upsert', entries: [secret('NEW', '1'), roll('R', 0.5)], deletes: ['A'] },
    update: { ...dev, updates: [{ name: 'R', pin: { a: ['user-1'] } }] },
    copy: { from: prod, to: dev, names: ['A'] },
    restore: { ...dev, revision: 1 },
    changeReview: { ...prod, id, digest, verdict: 'approve' },
    projectUpdate: { ...shop, name: 'Shop' },
    stageUpdate: { ...dev, name: 'Development' },
    stageOrder: { ...shop, stageSlugs: ['dev', 'prod'] },
    stageProtect: { ...prod, isProtected: true },
    declarationSet: { projectSlug: 'shop', declarations: [{ name: 'A', required: 'all' }] },
    declarationReplace: { projectSlug: 'shop', document: { properties: { A: { type: 'string' } } } },
    declarationDelete: { projectSlug: 'shop', names: ['A'] },
    organization: {},
    organizationUpdate: { createsOnWrite: false },
    organizationMembers: {},
    signInRules: {},
    signInRulesSet: { isCompanyOnly: false, breakGlass: [] },
    audit: {},
    usageCallers: { from: '2026-01-01', to: '2026-01-02' },
    accessList: prod,
    accessGrant: { ...prod, principal: someone, role: 'viewer' },
    accessHolders: prod,
    groups: {},
    groupUpdate: { id: group, name: 'Platform' },
    groupMembers: { id: group, add: [someone] },
    roles: {},
    roleSet: { name: 'auditor', verbs: ['list'] },
    tokenList: {},
    keyList: {},
    hookList: {},
    hookUpdate: { id: hook, name: 'Deployments' },
    hookDeliveries: { id: hook },
    trustList: {},
    trustUpdate: { id: trust, name: 'CI' },
    trustTest: { id: trust, token: 'none' },
    deviceShow: { userCode },
    sessionList: {},
    sessionConfirm: { id: sessions[0].id },
  }
  for (const [name, input] of Object.entries(inputs) as [RepeatableName, object][]) {
    const call = async () => {
      const isOfOrg = isScoped(endpoints[name])
      const { status, text } = await testEnv.client.call(name, isOfOrg ? { orgSlug: scene.orgSlug, ...input } : input, {
        token,
      })
      return [name, status, status === 200 ? '' : text]
    }
    expect(await call()).toEqual([name, 200, ''])
    const counts = await rowCounts()
    expect(await call()).toEqual([name, 200, ''])
    expect([name, await rowCounts()]).toEqual([name, counts])
  }
})
