/** Runs two clients of the Vault protocol, unmodified and independent of each other: one uses axios, the other fetch and schemas. */
import { Client } from '@litehex/node-vault'
import nodeVault from 'node-vault'
import { expect, test } from 'vitest'
import { secret } from '../../testkit/entries.ts'
import { newServiceToken, write } from '../../testkit/test-env.ts'
import { useTrustScene } from '../trusts/scene.ts'

const scene = useTrustScene()

function endpoint(): string {
  return `${scene.testEnv.app.url}/vault`
}

/** Creates an organization with two revisions of its stage, and a trust that may read the history. */
async function prepared() {
  const owner = await scene.newOwner()
  await write(scene.testEnv, owner, [secret('A', 'second'), secret('B', 'b')])
  const trust = await scene.trust({ role: 'developer', history: true }, owner)
  return { owner, role: trust.id as string }
}

test('node-vault logs in, reads, lists, writes with cas, and meets refusals', async () => {
  const { owner, role } = await prepared()
  for (const [logIn, mount] of [
    ['kubernetesLogin', { mount_point: 'kubernetes-prod' }],
    ['jwtLogin', {}],
  ] as const) {
    const vault = nodeVault({ endpoint: `${endpoint()}/` })
    const { auth } = await vault[logIn]({ role, jwt: await scene.token(), ...mount })
    expect([vault.token, auth.lease_duration]).toEqual([auth.client_token, 900])
    expect((await vault.read('shop/data/prod')).data.data).toEqual({ A: 'second', B: 'b' })
    expect((await vault.read('shop/data/prod?version=1')).data.data).toEqual({ A: 'value of A' })
    expect((await vault.list('shop/metadata')).data.keys).toEqual(['prod'])
    expect((await vault.list('shop/metadata/prod')).data.keys).toContain('A')
    expect((await vault.tokenLookupSelf()).data).toMatchObject({ creation_ttl: 900, renewable: false })
    const { version } = (await vault.read('shop/data/prod/A')).data.metadata
    const written = await vault.write('shop/data/prod/A', { data: { value: 'third' }, options: { cas: version } })
    const stale = vault.write('shop/data/prod/A', { data: { value: 'x' }, options: { cas: version } })
    await expect(stale).rejects.toThrow('check-and-set parameter did not match the current version')
    await vault.update('shop/data/prod', { data: { C: 'c' }, options: { cas: written.data.version } })
    expect((await vault.read('shop/data/prod')).data.data).toEqual({ A: 'third', B: 'b', C: 'c' })
    await expect(vault.read('shop/data/typo')).rejects.toMatchObject({ response: { statusCode: 404 } })
    await expect(vault.read('shop/prod')).rejects.toThrow('PROJECT/data/STAGE')
    await expect(vault.delete('shop/data/prod')).rejects.toMatchObject({ response: { statusCode: 405 } })
    expect(await vault.health({})).toMatchObject({ sealed: false })
    expect(Object.keys((await vault.mounts()).data)).toEqual(['shop/'])
    await vault.tokenRevokeSelf()
    await expect(vault.read('shop/data/prod')).rejects.toThrow('permission denied')
    await write(scene.testEnv, owner, [secret('A', 'second')])
    await scene.testEnv.client.must('write', { ...owner.at, mode: 'upsert', deletes: ['C'] }, { token: owner.token })
  }
})

test('node-vault without methods of Vault lists by GET, and a namespace names the organization', async () => {
  const { owner } = await prepared()
  const { token } = await newServiceToken(scene.testEnv, owner, { role: 'reader' })
  const { orgSlug: namespace } = owner.at
  const vault = nodeVault({ endpoint: endpoint(), token, namespace, noCustomHTTPVerbs: true })
  expect((await vault.list('shop/metadata/prod')).data.keys).toEqual(['A', 'B'])
  const other = nodeVault({ endpoint: endpoint(), token, namespace: 'other' })
  await expect(other.list('shop/metadata/prod')).rejects.toThrow('permission denied')
})

test('@litehex/node-vault reads, lists, writes with cas, merges, and meets refusals', async () => {
  const { owner } = await prepared()
  const { token } = await newServiceToken(scene.testEnv, owner, { role: 'developer', history: true })
  const vault = new Client({ endpoint: endpoint(), token })
  const at = { mountPath: 'shop', path: 'prod' }
  const dataOf = <Answer>({ data, error }: { data?: Answer | null; error?: unknown }): Answer => {
    if (error !== undefined && error !== null) throw error as Error
    return data as Answer
  }
  expect(dataOf(await vault.kv2.read(at)).data.data).toEqual({ A: 'second', B: 'b' })
  expect(dataOf(await vault.kv2.read({ ...at, version: 1 })).data.data).toEqual({ A: 'value of A' })
  expect(dataOf(await vault.kv2.list(at)).data.keys).toEqual(['A', 'B'])
  expect(dataOf(await vault.kv2.subKeys(at)).data.subkeys).toEqual({ A: null, B: null })
  expect(dataOf(await vault.kv2.readMetadata(at)).data).toMatchObject({ current_version: 2, oldest_version: 1 })
  const one = { mountPath: 'shop', path: 'prod/A' }
  const written = dataOf(await vault.kv2.write({ ...one, data: { value: 'third' }, options: { cas: 2 } }))
  expect(written.data.version).toBe(3)
  const stale = await vault.kv2.write({ ...one, data: { value: 'x' }, options: { cas: 2 } })
  expect(String(stale.error)).toContain('check-and-set')
  dataOf(await vault.kv2.patch({ ...at, data: { C: 'c' }, options: { cas: 3 } }))
  expect(dataOf(await vault.kv2.read(at)).data.data).toEqual({ A: 'third', B: 'b', C: 'c' })
  expect((await vault.kv2.read({ ...at, path: 'typo' })).error).toBeTruthy()
  expect(String((await vault.kv2.deleteLatest(at)).error)).toContain('PATCH')
  const denied = await new Client({ endpoint: endpoint(), token: 'root' }).kv2.read(at)
  expect(String(denied.error)).toContain('permission denied')
})

test('a login ends with its lease, and one that the trust does not accept says why', async () => {
  const { owner, role } = await prepared()
  const { orgSlug: namespace } = owner.at
  const vault = nodeVault({ endpoint: endpoint(), namespace })
  await vault.jwtLogin({ role, jwt: await scene.token() })
  expect((await vault.read('shop/data/prod')).data.data).toBeTruthy()
  scene.testEnv.clock.advance(900_000)
  await expect(vault.read('shop/data/prod')).rejects.toThrow('permission denied')
  const refused = async (input: object, client = vault) => {
    const error = await client.jwtLogin({ role, jwt: await scene.token(), ...input }).catch((reason: unknown) => reason)
    return error as { message: string; response: { statusCode: number } }
  }
  const wrong = await refused({ jwt: await scene.token({ ref: 'refs/heads/other' }) })
  expect([wrong.response.statusCode, wrong.message]).toEqual([400, expect.stringContaining('does not match the trust')])
  expect((await refused({ jwt: 'CANARY' })).message).toContain('The token cannot be read')
  const unknown = (await refused({ role: 'tru_unknown' })).message
  expect(unknown).toContain('copy the id from the trust')
  // A trust of another organization looks the same as none.
  const other = nodeVault({ endpoint: endpoint(), namespace: 'other' })
  expect((await refused({}, other)).message).toBe(unknown)
})

test('a login is in the audit log as an exchange, and what it does as the trust', async () => {
  const { owner, role } = await prepared()
  const vault = nodeVault({ endpoint: endpoint() })
  await vault.jwtLogin({ role, jwt: await scene.token() })
  await vault.write('shop/data/prod/A', { data: { value: 'x' } })
  await vault.tokenRevokeSelf()
  const { entries } = await scene.testEnv.client.must(
    'audit',
    { orgSlug: owner.at.orgSlug },
    { token: await scene.testEnv.provider.confirmedTokenOf(owner.user) },
  )
  const actions = (entries as { action: string; actor: string }[]).filter(({ actor }) => actor === role)
  expect(actions.map(({ action }) => action)).toEqual(['session.revoke', 'variable.update', 'trust.exchange'])
})
