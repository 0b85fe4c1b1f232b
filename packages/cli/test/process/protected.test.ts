/** Values of a protected stage, which a person reads only after a confirmation in the browser. */
import type { Grant } from '@rollkey/sdk'
import { describe, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'
import { onTerminal } from '../../testkit/run.ts'

const testEnv = useTestEnv()

/** Returns a command line at a protected stage, with what its person needs to read it. */
async function newProtected(): Promise<{ cli: TestCli; confirm: (id: string) => Promise<void> }> {
  const cli = await startTestCli(testEnv)
  const { at, user } = cli.tenant
  await write(testEnv, cli.tenant, [secret('A', 'canary')])
  const { orgSlug, projectSlug, stageSlug } = at
  const asOwner = async (name: 'stageProtect' | 'accessGrant' | 'sessionConfirm', input: object): Promise<void> => {
    await testEnv.client.must(name, { orgSlug, ...input }, { token: await testEnv.provider.confirmedTokenOf(user) })
  }
  const principal = { kind: 'user', id: user.userId }
  await asOwner('accessGrant', { principal, role: 'developer', projectSlug, stageSlug })
  await asOwner('stageProtect', { projectSlug, stageSlug, isProtected: true })
  return { cli, confirm: (id) => asOwner('sessionConfirm', { id }) }
}

test('token create waits on a terminal for the confirmation too, since the token needs none', async () => {
  const { cli, confirm } = await newProtected()
  const args = ['token', 'create', 'ci']
  let confirmed: Promise<void> | undefined
  const { status, screen } = await onTerminal(args, cli, [], (shown) => {
    const [, id] = /\/confirm\/([\w-]+)\s/.exec(shown) ?? []
    if (id !== undefined) confirmed ??= confirm(id)
  })
  await confirmed
  expect(status, screen).toBe(0)
  expect(screen).toMatch(/svc_st_/)
  const [, tokenId = ''] = /Its id is ([\w-]+)/.exec(screen) ?? []
  expect((await cli.run('token', 'rotate', tokenId)).stdout).toMatch(/^svc_st_/)
})

describe.each([
  ['get', ['get', 'A', '--reveal']],
  ['pull', ['pull', '--format', 'json', '--reveal']],
  ['run', ['run', '--', 'printenv', 'A']],
])('%s', (_, args) => {
  test('waits on a terminal until the session is confirmed in the browser, and then reads', async () => {
    const { cli, confirm } = await newProtected()
    let confirmed: Promise<void> | undefined
    const { status, screen } = await onTerminal(args, cli, [], (shown) => {
      const [, id] = /\/confirm\/([\w-]+)\s/.exec(shown) ?? []
      if (id !== undefined) confirmed ??= confirm(id)
    })
    await confirmed
    expect(status, screen).toBe(0)
    expect(screen).toContain('shop/dev is protected')
    expect(screen).toContain('canary')
    // The confirmation holds for the next commands of this session.
    expect((await cli.run(...args)).stdout).toContain('canary')
  })

  test('fails in a pipe with where to confirm', async () => {
    const { cli } = await newProtected()
    const { status, stdout, stderr } = await cli.run(...args)
    expect(status).toBe(4)
    expect(stdout).toBe('')
    const { orgSlug } = cli.tenant.at
    expect(stderr).toContain(
      `CONFIRMATION_REQUIRED: The stage shop/dev is protected. Confirm at ${testEnv.app.url}/o/${orgSlug}/confirm/`,
    )
  })
})

test('a service token reads a protected stage without a confirmation', async () => {
  const { cli } = await newProtected()
  const { at, user } = cli.tenant
  const token = await testEnv.provider.confirmedTokenOf(user)
  const created = await testEnv.client.must('tokenCreate', { ...at, name: 'ci', role: 'reader' }, { token })
  const env = { ROLLKEY_TOKEN: created.token, ROLLKEY_URL: testEnv.app.url, ROLLKEY_ORG: at.orgSlug }
  const { status, screen } = await onTerminal(['get', 'A', '--reveal'], { ...cli, env: { ...cli.env, ...env } })
  expect(screen).toContain('canary')
  expect(status).toBe(0)
})

test('what a command-line session cannot do says where the web application does it', async () => {
  const { cli } = await newProtected()
  await cli.run('group', 'create', 'On call')
  await cli.run('role', 'set', 'auditor', 'manage')
  const { at, user } = cli.tenant
  const asOwner = async (name: 'accessGrant', input: object): Promise<void> => {
    const token = await testEnv.provider.confirmedTokenOf(user)
    await testEnv.client.must(name, { ...at, ...input }, { token })
  }
  const { groups } = JSON.parse((await cli.run('group', 'list', '--json')).stdout) as { groups: { id: string }[] }
  await asOwner('accessGrant', { principal: { kind: 'group', id: groups[0]?.id }, role: 'auditor' })
  const refusals = [
    [['access', 'grant', 'bob@example.com', 'reader', 'dev'], 'p/shop/access; try: rollkey access list'],
    [['group', 'add', 'On call', 'bob@example.com'], 'members/groups; try: rollkey group list'],
    [['role', 'set', 'auditor', 'read', '--yes'], 'members/roles; try: rollkey role list'],
    [['stage', 'unprotect', 'dev', '--yes'], 'p/shop/access; try: rollkey access list'],
  ] as const
  for (const [args, end] of refusals) {
    const { status, stderr } = await cli.run(...args)
    const page = `in the web application at ${testEnv.app.url}/o/${at.orgSlug}/${end}\n`
    expect([args, status, stderr]).toEqual([args, 4, expect.stringContaining(page)])
  }
})

test('stage protect lists who loses what before it asks, and changes nothing without a yes', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A', 'canary')])
  const protect = ['stage', 'protect', 'dev', '--keep', 'none']
  const { status, screen } = await cli.terminal(protect, [['Protect shop/dev?', '\r']])
  expect(status).not.toBe(0)
  expect(screen).toMatch(/you +read, write\s+every member, by the default role[^]*You keep nothing\./)
  expect(screen).toMatch(/Protect shop\/dev\?[^]*Nothing was changed/)
  expect(await cli.run('get', 'A')).toMatchObject({ stdout: 'canary' })
  expect((await cli.terminal(protect, [['Protect shop/dev?', 'y']])).status).toBe(0)
  expect((await cli.run('get', 'A')).stdout).toBe('')
})

test('stage protect sets the number of approvals, and warns if no one may give them', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A', 'canary')])
  for (const count of ['-1', '1.5', '11', 'one'])
    expect(await cli.run('stage', 'protect', 'dev', '--approvals', count)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--approvals must be a whole number from 0 to 10') as string,
    })
  const shortage = 'No one may approve on shop/dev, so every change waits.'
  const advice = 'rollkey access grant EMAIL releaser shop/dev\n'
  const dry = await cli.run('stage', 'protect', 'dev', '--approvals', '1', '--dry-run')
  expect(dry.stderr).toContain('A change would need 1 approval.')
  for (const text of [shortage, advice]) expect(dry.stderr).toContain(text)
  expect((await cli.run('set', 'A', 'b')).status).toBe(0)
  const releaser = await cli.run('stage', 'protect', 'dev', '--approvals', '1', '--keep', 'releaser', '--dry-run')
  expect(releaser.stderr).toContain('Only 1 person may approve on shop/dev, so each change of theirs waits.')
  expect((await cli.run('stage', 'protect', 'dev', '--approvals', '0', '--dry-run')).stderr).not.toContain(
    'may approve',
  )

  const { status, stderr } = await cli.run('stage', 'protect', 'dev', '--approvals', '1', '--yes')
  expect([status, stderr]).toEqual([0, expect.stringContaining('shop/dev is protected')])
  for (const text of [shortage, advice, 'A change needs 1 approval.']) expect(stderr).toContain(text)
  expect((await cli.run('set', 'A', 'c')).stderr).toMatch(/^APPROVAL_REQUIRED/)
  const more = await cli.run('stage', 'protect', 'dev', '--approvals', '2', '--yes')
  expect([more.status, more.stderr]).toEqual([
    4,
    expect.stringContaining('Set the approvals of shop/dev in the web app'),
  ])
})

test('who protects a stage keeps a role on it, and the one that they have there already', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A', 'canary')])
  const roles = async () => {
    const { grants } = JSON.parse((await cli.run('access', 'list', 'dev', '--json')).stdout) as { grants: Grant[] }
    return grants.map(({ principal, role, stageSlug }) => [principal.id, role, stageSlug])
  }
  const { userId } = cli.tenant.user
  await cli.run('access', 'grant', `user:${userId}`, 'reader', 'dev')
  const granted = await cli.run('stage', 'protect', 'dev', '--dry-run')
  expect(granted.stdout).toContain('you\twrite\n')
  expect(granted.stderr).not.toContain('You keep')
  await cli.run('access', 'revoke', `user:${userId}`, 'dev', '--yes')
  expect(await cli.run('stage', 'protect', 'dev', '--keep', 'nothing', '--yes')).toMatchObject({ status: 2 })
  expect((await cli.run('stage', 'protect', 'dev', '--dry-run')).stderr).toContain('You keep the role developer')
  expect(await roles()).toEqual([])
  expect((await cli.run('stage', 'protect', 'dev', '--keep', 'reader', '--yes')).status).toBe(0)
  expect(await roles()).toEqual([[userId, 'reader', 'dev']])
  expect((await cli.run('stage', 'protect', 'dev', '--yes', '--json')).stdout).not.toContain('kept')
  expect(await roles()).toEqual([[userId, 'reader', 'dev']])
})
