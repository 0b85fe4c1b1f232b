/** Copies between stages, restores and promotions: questions, stages that need approval, and the order of the stages. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { openCredentials } from '@rollkey/sdk/node'
import { beforeAll, describe, expect, test } from 'vitest'
import { newUser } from '../../../server/testkit/client.ts'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { newFolder } from '../../../server/testkit/folder.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { inProcess } from '../../testkit/run.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)
const enter = '\r'

/** Writes KEY to the three stages of a project, and NEW to dev. */
async function fill(projectSlug: string): Promise<void> {
  for (const stageSlug of ['dev', 'staging', 'prod'])
    await write(testEnv, tenantAt(cli.tenant, { projectSlug, stageSlug }), [secret('KEY', `canary-of-${stageSlug}`)])
  await write(testEnv, tenantAt(cli.tenant, { projectSlug, stageSlug: 'dev' }), [secret('NEW', 'canary')])
}

beforeAll(async () => {
  await fill('shop')
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'staging' }), [secret('NEW', 'canary')])
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'prod' }), [secret('LATER', 'canary'), roll('FLAG', 0.5)])
  writeFileSync(path.join(cli.cwd, 'new.env'), 'IMPORTED=canary\n')
  const { user, at } = cli.tenant
  const token = await testEnv.provider.confirmedTokenOf(user)
  const prod = { orgSlug: at.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
  const principal = { kind: 'user', id: user.userId }
  await testEnv.client.must('accessGrant', { ...prod, principal, role: 'developer' }, { token })
  await testEnv.client.must('stageProtect', { ...prod, isProtected: true, approvals: 1 }, { token })
})

const valueIn = async (projectSlug: string): Promise<string> =>
  (await cli.run('get', 'KEY', '--project', projectSlug, '--stage', 'staging')).stdout

test('copy asks, and replaces what differs only on request', async () => {
  await fill('copied')
  const question = 'Copy 1 variable from copied/dev to copied/staging?'
  const copy = ['copy', 'dev', 'staging', '--project', 'copied']
  const no = await cli.terminal(copy, [[question, enter]])
  expect(no.status, no.screen).toBe(1)
  expect(no.screen).toContain('different, kept')
  expect(no.screen).not.toContain('canary')
  const yes = await cli.terminal(copy, [[question, 'y']])
  expect(yes.screen).toContain('To undo it: rollkey restore 1 --project copied --stage staging')
  expect(await valueIn('copied')).toBe('canary-of-staging')
  expect(await cli.run(...copy, '--overwrite', '--yes')).toMatchObject({ status: 0 })
  expect(await valueIn('copied')).toBe('canary-of-dev')
})

test('copy keeps what the caller may not compare', async () => {
  await fill('unseen')
  const { user, at } = cli.tenant
  const bob = { ...newUser(at.orgSlug), orgId: user.orgId }
  const asOwner = { token: await testEnv.provider.confirmedTokenOf(user) }
  const staging = { orgSlug: at.orgSlug, projectSlug: 'unseen', stageSlug: 'staging' }
  await testEnv.client.must('roleSet', { orgSlug: at.orgSlug, name: 'writer', verbs: ['list', 'write'] }, asOwner)
  const principal = { kind: 'user', id: bob.userId }
  await testEnv.client.must('accessGrant', { ...staging, principal, role: 'writer' }, asOwner)
  await testEnv.client.must('stageProtect', { ...staging, isProtected: true }, asOwner)
  const env = { ...cli.env, ROLLKEY_CONFIG_DIR: newFolder() }
  const pair = await testEnv.client.login(bob)
  await openCredentials({ env }).save({ url: testEnv.app.url, orgSlug: at.orgSlug, ...pair })
  const copy = async (...args: string[]) => {
    const run = ['copy', 'dev', 'staging', '--project', 'unseen', '--json', ...args]
    const { status, stdout, stderr } = await inProcess(run, { cwd: cli.cwd, env })
    expect(status, stderr).toBe(0)
    return JSON.parse(stdout) as object
  }
  expect(await copy('--dry-run')).toMatchObject({ copied: ['NEW'], kept: ['KEY'] })
  expect(await copy('--overwrite', '--yes')).toMatchObject({ copied: ['KEY', 'NEW'], kept: [] })
})

test('restore asks, and what it says undoes it', async () => {
  await fill('restored')
  const staging = tenantAt(cli.tenant, { projectSlug: 'restored', stageSlug: 'staging' })
  await write(testEnv, staging, [secret('KEY', 'canary of later'), secret('NEW', 'canary')])
  const question = 'Restore 2 variables of restored/staging to revision 1?'
  const yes = await cli.terminal(['restore', '1', '--project', 'restored', '--stage', 'staging'], [[question, 'y']])
  expect(yes.status, yes.screen).toBe(0)
  expect(await valueIn('restored')).toBe('canary-of-staging')
  const [, undo = ''] = /To undo it: rollkey (.*)/.exec(yes.screen) ?? []
  expect(await cli.run(...undo.split(' '), '--yes')).toMatchObject({ status: 0 })
  expect(await valueIn('restored')).toBe('canary of later')
})

describe('a stage that needs approval', () => {
  test.each([
    [['copy', 'dev', 'prod', '--yes'], 'rollkey promote FROM TO --propose'],
    [['set', 'KEY', 'x', '--stage', 'prod'], 'the same command with --propose'],
    [['delete', 'KEY', '--stage', 'prod', '--yes'], 'the same command with --propose'],
    [['import', 'new.env', '--stage', 'prod', '--yes'], 'the same command with --propose'],
    [['roll', 'set', 'FLAG', '--chance', '60%', '--stage', 'prod'], 'the same command with --propose'],
    [['restore', '1', '--stage', 'prod', '--yes'], 'the same command with --propose'],
  ])('%j says how to propose it', async (args, command) => {
    const { status, stderr } = await cli.run(...args)
    expect(status).toBe(4)
    expect(stderr).toMatch(/^APPROVAL_REQUIRED: Changes of .*need an approval: propose the change/m)
    expect(stderr).toContain(`; try: ${command}\n`)
  })

  test('promote proposes the change of the next stage, which the service keeps until it is approved', async () => {
    const { status, stdout } = await cli.run('promote', 'staging', '--reason', 'Release 12', '--yes', '--json')
    expect(status).toBe(0)
    const { id } = JSON.parse(stdout) as { id: string }
    const { orgSlug } = cli.tenant.at
    const token = await testEnv.provider.tokenOf(cli.tenant.user)
    const prod = { orgSlug, projectSlug: 'shop', stageSlug: 'prod', id }
    expect(await testEnv.client.must('changeShow', prod, { token })).toMatchObject({
      state: 'open',
      reason: 'Release 12',
      names: ['KEY', 'NEW'],
      source: { copy: { projectSlug: 'shop', stageSlug: 'staging' } },
    })
  })

  test.each([
    ['its chance', ['roll', 'set', 'FLAG', '--chance', '60%']],
    ['labels', ['roll', 'set', 'FLAG', '--labels', 'new', 'old']],
    ['pins', ['roll', 'pin', 'FLAG', 'a', 'user-1']],
    ['rules', ['roll', 'rule', 'FLAG', '--clear']],
    ['a stop', ['roll', 'stop', 'FLAG']],
    ['its description', ['set', 'FLAG', '--keep-value', '--description', 'New checkout']],
  ])('a change of a roll is proposed: %s', async (_, args) => {
    const { status, stdout, stderr } = await cli.run(...args, '--stage', 'prod', '--reason', 'Release 12', '--json')
    expect(status, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ stageSlug: 'prod', state: 'open' })
  })

  test('import proposes its file', async () => {
    const { status, stderr } = await cli.run('import', 'new.env', '--stage', 'prod', '--yes', '--propose')
    expect(status).toBe(0)
    expect(stderr).toMatch(/^Proposed chg_\S+ for shop\/prod\. It needs an approval/m)
  })

  test('promote says on a terminal what it proposes and what happens next', async () => {
    const question = 'Propose to promote 1 variable from shop/staging to shop/prod?'
    const { status, screen } = await cli.terminal(
      ['promote', 'staging', 'prod', 'NEW', '--at', '2h'],
      [[question, 'y']],
    )
    expect(status, screen).toBe(0)
    expect(screen).toMatch(
      /Proposed chg_\S+ for shop\/prod\. It needs an approval by \S+ \S+ \S+ \(UTC\), but too few people can approve it/,
    )
  })
})
