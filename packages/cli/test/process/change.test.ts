/** Proposed changes: the commands that propose, review, apply, schedule and ramp them. */
import { openCredentials } from '@rollkey/sdk/node'
import { describe, expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { newUser } from '../../../server/testkit/client.ts'
import { newFolder } from '../../../server/testkit/folder.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'
import { inProcess, onTerminal, type Ended } from '../../testkit/run.ts'

const testEnv = useTestEnv()

interface Scene {
  /** Who proposes. */
  readonly cli: TestCli
  /** Runs a command of another person, who may approve. */
  readonly asBob: (...args: string[]) => Promise<Ended>
}

/** Returns two people at a stage that requires an approval. */
async function newScene(): Promise<Scene> {
  const cli = await startTestCli(testEnv)
  const { at, user } = cli.tenant
  await write(testEnv, cli.tenant, [secret('LIMIT', '10'), roll('FLAG', 0)])
  const bob = { ...newUser(at.orgSlug), orgId: user.orgId }
  const { orgSlug, projectSlug, stageSlug } = at
  const token = await testEnv.provider.confirmedTokenOf(user)
  for (const [{ userId: id }, role] of [[user, 'releaser'] as const, [bob, 'releaser'] as const])
    await testEnv.client.must('accessGrant', { ...at, principal: { kind: 'user', id }, role }, { token })
  await testEnv.client.must(
    'stageProtect',
    { orgSlug, projectSlug, stageSlug, isProtected: true, approvals: 1 },
    { token },
  )
  const env = { ...cli.env, ROLLKEY_CONFIG_DIR: newFolder() }
  const pair = await testEnv.client.login(bob)
  await openCredentials({ env }).save({ url: testEnv.app.url, orgSlug, ...pair })
  return { cli, asBob: (...args) => inProcess(args, { ...cli, env }) }
}

/** Returns the day of the week in some days, such as `Mon`. */
function weekdayIn(days: number, timeZone: string): string {
  return new Date(Date.now() + days * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone })
}

function idIn({ stderr }: Ended): string {
  const [id] = /chg_[\w-]+/.exec(stderr) ?? []
  if (id === undefined) throw new Error(`no change in ${stderr}`)
  return id
}

test('a change is proposed, rejected, approved by someone else and applied', async () => {
  const { cli, asBob } = await newScene()
  // Like no date, time or id.
  const canary = '190919091909'
  const direct = await cli.run('set', 'LIMIT', canary)
  expect([direct.status, direct.stderr]).toEqual([
    4,
    expect.stringMatching(/^APPROVAL_REQUIRED: .*; try: the same command with --propose\n$/),
  ])
  const proposed = await cli.run('set', 'LIMIT', canary, '--propose', '--reason', 'Larger carts')
  const id = idIn(proposed)
  const fromOthers = `It needs an approval, from someone else. Send them the page: rollkey open ${id} --print`
  expect(proposed.stderr).toBe(`Proposed ${id} for shop/dev. ${fromOthers}\n`)
  expect((await cli.run('change', 'show', id)).stderr).toContain(fromOthers)
  expect((await asBob('change', 'show', id)).stderr).toContain(
    `It needs an approval: rollkey change approve ${id}, or rollkey change reject ${id} --comment TEXT\n`,
  )
  expect((await asBob('change', 'list')).stderr).toBe(`Review what needs you: rollkey change show ${id}\n`)
  expect((await asBob('change', 'list')).stdout).toBe(
    `${id}\tshop/dev\tneeds you\tLIMIT\tuser:${cli.tenant.user.userId}\t-\tLarger carts\n`,
  )
  expect((await cli.run('change', 'approve', id, '--yes')).stderr).toContain(fromOthers)
  expect((await cli.run('change', 'apply', id)).status).toBe(4)
  expect((await asBob('change', 'reject', id, '--yes')).stderr).toContain('--comment is missing')
  expect((await asBob('change', 'reject', id, '--comment', 'Too high', '--yes')).status).toBe(0)
  const rejected = await cli.run('change', 'list')
  expect(rejected.stdout).toContain('\tchanges requested\t')
  expect((await cli.run('change', 'show', id)).stderr).toContain(`answers with rollkey change edit ${id}`)
  expect((await asBob('change', 'approve', id, '--yes')).stderr).toBe(
    `Approved ${id} of shop/dev. Apply it with rollkey change apply ${id}\n`,
  )
  expect((await cli.run('change', 'list')).stderr).toBe(`Apply what is ready: rollkey change apply ${id}\n`)
  const shown = await cli.run('change', 'show', id)
  expect(shown.stdout).toContain('LIMIT\tchanged\tvalue\t\n')
  expect(shown.stdout + shown.stderr).not.toContain(canary)
  expect((await cli.run('change', 'apply', id)).stderr).toMatch(
    /^Applied chg_.* to shop\/dev: LIMIT \(revision \d+\)\.\nWhat it changed: rollkey history --project shop --stage dev\n$/,
  )
  const byMe = await cli.run('history', '--limit', '1')
  expect(byMe.stdout.trim().split('\t').slice(5)).toEqual([expect.stringContaining('you'), '-', 'Larger carts'])
  const byBob = await cli.run('set', 'LIMIT', '30', '--propose', '--reason', 'Fewer\nquestions')
  expect((await asBob('change', 'list')).stdout).toMatch(/\tFewer questions\n$/)
  expect((await asBob('change', 'approve', idIn(byBob), '--yes')).status).toBe(0)
  expect((await asBob('change', 'apply', idIn(byBob))).status).toBe(0)
  const { stdout } = await cli.run('history', '--limit', '1')
  expect(stdout.trim().split('\t').slice(6)).toEqual(['you', 'Fewer questions'])
  expect((await cli.run('change', 'list')).stderr).toContain('There are no open changes.')
  expect((await cli.run('change', 'list', '--all')).stdout).toContain('\tapplied\t')
  expect((await cli.run('change', 'withdraw', id)).stderr).toMatch(/^CHANGE_CONFLICT: /)
  const late = `: only an open one is approved or rejected; try: rollkey change show ${id}\n`
  expect(await cli.run('change', 'approve', id)).toMatchObject({
    status: 6,
    stderr: `CHANGE_CONFLICT: The change was applied by you${late}`,
  })
  expect((await asBob('change', 'reject', id, '--comment', 'Too late')).stderr).toBe(
    `CHANGE_CONFLICT: The change was applied by user:${cli.tenant.user.userId}${late}`,
  )
})

test('the help of the group begins with how to propose a change', async () => {
  const { stdout } = await inProcess(['change', '--help'], { env: {}, cwd: '/' })
  expect(stdout).toMatch(
    /Examples:\n {2}# proposes a change\n {2}\$ rollkey set LIMIT 25 --propose --reason "Larger carts"\n/,
  )
})

test('deletions and chances are proposed too, and a change that is out of date says so', async () => {
  const { cli, asBob } = await newScene()
  const chance = idIn(await cli.run('roll', 'set', 'FLAG', '--chance', '50%', '--propose', '--reason', 'why'))
  expect((await cli.run('change', 'show', chance)).stdout).toContain('FLAG\tchance\t0% → 50%\t\n')
  const again = idIn(await cli.run('set', 'FLAG', '--chance', '0.25', '--reason', 'why'))
  await asBob('change', 'approve', chance, '--yes')
  await asBob('change', 'approve', again, '--yes')
  expect((await cli.run('change', 'apply', chance)).status).toBe(0)
  const outdated = await cli.run('change', 'show', again)
  expect(outdated.stdout).toContain('changed since, in revision')
  expect(outdated.stderr).toMatch(
    /It is out of date since revision \d+, so it cannot be applied: rollkey change rebase chg_/,
  )
  expect((await cli.run('change', 'list')).stdout).toContain('\tout of date\t')
  expect((await cli.run('change', 'apply', again)).stderr).toMatch(/^REVISION_CONFLICT: /)
  expect((await cli.run('change', 'rebase', again)).stderr).toMatch(
    / is based on revision \d+ of shop\/dev\. It needs an/,
  )
  expect((await cli.run('change', 'show', again)).stdout).not.toContain('changed since')
  expect((await cli.run('change', 'withdraw', again)).stderr).toBe(`Withdrew ${again} of shop/dev.\n`)
  const deletion = idIn(await cli.run('delete', 'LIMIT', '--reason', 'unused'))
  expect((await cli.run('change', 'show', deletion)).stdout).toContain('LIMIT\tdeleted\t\t\n')
})

test('a change is edited in part by who proposed it', async () => {
  const { cli, asBob } = await newScene()
  const { stderr } = await cli.feed('SIZE=40\nLIMIT=99\n', 'import', '-', '--yes', '--reason', 'Larger')
  const id = idIn({ stderr } as Ended)
  expect((await asBob('change', 'edit', id, '--leave-out', 'LIMIT')).stderr).toMatch(/^FORBIDDEN: /)
  expect((await cli.run('change', 'edit', id)).stderr).toContain('State what to edit')
  expect((await cli.feed('x', 'change', 'edit', id, '--value', 'FLAG')).stderr).toContain('no value of a secret "FLAG"')
  const edited = await cli.feed(
    '30\n',
    'change',
    'edit',
    id,
    '--value',
    'SIZE',
    '--leave-out',
    'LIMIT',
    '--reason',
    'A bit',
  )
  expect(edited.stderr).toContain(`Edited ${id} of shop/dev. It needs an approval`)
  const shown = await cli.run('change', 'show', id)
  expect(shown.stdout).not.toContain('LIMIT')
  expect((await cli.run('change', 'list')).stdout).toContain('\tA bit\n')
  await asBob('change', 'approve', id, '--yes')
  await cli.run('change', 'apply', id)
  const token = await testEnv.provider.confirmedTokenOf(cli.tenant.user)
  const valueOf = async (name: string) => testEnv.client.must('evaluate', { ...cli.tenant.at, name }, { token })
  expect([await valueOf('SIZE'), await valueOf('LIMIT')]).toMatchObject([{ value: '30' }, { value: '10' }])
})

test('a change shows plain values, and why it was applied without approval', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [{ ...secret('SIZE', '20'), exposure: 'plain' }])
  const id = idIn(await cli.run('set', 'SIZE', '40', '--propose', '--reason', 'Larger pages'))
  expect((await cli.run('change', 'show', id)).stdout).toContain('\nSIZE value: 40\n')
  const { at, user } = cli.tenant
  const { orgSlug, projectSlug, stageSlug } = at
  const token = await testEnv.provider.confirmedTokenOf(user)
  const principal = { kind: 'user', id: user.userId } as const
  await testEnv.client.must('accessGrant', { ...at, principal, role: 'releaser' }, { token })
  const rules = { isProtected: true, approvals: 1, bypassRole: 'releaser' }
  await testEnv.client.must('stageProtect', { orgSlug, projectSlug, stageSlug, ...rules }, { token })
  expect((await cli.run('change', 'apply', id, '--bypass', 'Incident 42')).status).toBe(0)
  expect((await cli.run('change', 'show', id)).stderr).toContain('or in a freeze: Incident 42\n')
})

test('a terminal asks for the reason and the value, and shows what is approved', async () => {
  const { cli } = await newScene()
  const { screen } = await onTerminal(['set', 'LIMIT', '--propose'], cli, [
    ['Value of LIMIT', 'canary-25\r'],
    ['Why is it changed?', 'Larger carts\r'],
  ])
  expect(screen).toContain('Proposed chg_')
  expect(screen).not.toContain('canary-25')
  const [id = ''] = /chg_[\w-]+/.exec(screen) ?? []
  const asked = await onTerminal(['change', 'approve', id], cli, [['Approve this change of shop/dev?', 'n']])
  expect(asked.screen).toContain('LIMIT')
  expect(asked.screen).toContain('Nothing was changed')
})

test('a change has a time, which is moved and taken away', async () => {
  const { cli } = await newScene()
  const proposed = await cli.run(
    'set',
    'LIMIT',
    '25',
    '--reason',
    'r',
    '--at',
    '2099-01-31 09:00',
    '--zone',
    'Europe/Berlin',
  )
  const id = idIn(proposed)
  const shown = JSON.parse((await cli.run('change', 'show', id, '--json')).stdout) as Record<string, unknown>
  expect(shown).toMatchObject({ applyAtMs: Date.parse('2099-01-31T08:00Z'), zone: 'Europe/Berlin' })
  const moved = JSON.parse((await cli.run('schedule', id, '2099-02-01T09:00Z', '--json')).stdout) as object
  expect(moved).toMatchObject({ applyAtMs: Date.parse('2099-02-01T09:00Z') })
  expect((await cli.run('schedule', id, '--never')).status).toBe(0)
  expect((await cli.run('schedule', id)).stderr).toContain('Pass a time or --never')
  expect((await cli.run('schedule', id, '2020-01-01 09:00')).stderr).toContain('is in the past')
})

describe('a ramp', () => {
  const steps = ['1%', '10%', '50%', '100%']

  test('shows its steps, waits for the approval, and is paused, resumed, skipped and aborted', async () => {
    const cli = await startTestCli(testEnv)
    await write(testEnv, cli.tenant, [roll('FLAG', 0)])
    const restDays = [3, 4].map((days) => weekdayIn(days, 'Europe/Berlin'))
    const times = ['--every', '1d', '--zone', 'Europe/Berlin', '--not-on', restDays.join(',').toLowerCase(), '--yes']
    const proposed = await cli.run('ramp', 'FLAG', ...steps, ...times)
    expect(proposed.stdout.split('\n')).toHaveLength(5)
    for (const day of restDays) expect(proposed.stdout).not.toContain(`${day} 2`)
    const id = idIn(proposed)
    await expect.poll(async () => (await cli.run('change', 'list')).stdout).toContain('\trunning 1/4\t')
    expect((await cli.run('change', 'pause', id)).stderr).toContain(`Paused ${id} of shop/dev. It is paused;`)
    expect((await cli.run('change', 'resume', id)).stderr).toContain('Its next step is at ')
    expect((await cli.run('change', 'skip', id)).status).toBe(0)
    const shown = (await cli.run('change', 'show', id)).stdout
    expect(shown).toMatch(/\t10%\tdone\n.*\t50%\tnext\n/)
    expect((await cli.run('change', 'abort', id, '--chance', '5%')).stderr).toMatch(
      /: the chance is 5% \(revision \d+\)\.\n$/,
    )
    expect((await cli.run('list')).stdout).toContain('\t0.05\t')
  })

  test('that a write has paused says why', async () => {
    const cli = await startTestCli(testEnv)
    await write(testEnv, cli.tenant, [roll('FLAG', 0)])
    const id = idIn(await cli.run('ramp', 'FLAG', ...steps, '--every', '1d', '--yes'))
    await expect.poll(async () => (await cli.run('change', 'list')).stdout).toContain('\trunning 1/4\t')
    const paused = `The ramp "Ramp of FLAG: 1% → 10% → 50% → 100%" is paused: rollkey change resume ${id} lets it go on, and rollkey change abort ${id} ends it.`
    expect((await cli.run('roll', 'set', 'FLAG', '--chance', '20%')).stderr).toContain(paused)
    const why = /Revision \d+ changed the chance by hand: resume the ramp, or abort it\./
    const shown = (await cli.run('change', 'show', id)).stderr
    expect(shown).toMatch(why)
    expect(shown).toContain(`rollkey change resume ${id}`)
    expect((await cli.run('change', 'list')).stderr).toMatch(new RegExp(`^${id} is paused: ${why.source}$`, 'm'))
    await cli.run('change', 'resume', id)
    expect((await cli.run('change', 'list')).stderr).not.toMatch(why)
    // Each write says it at once, and only the one that has paused it.
    const writes = [
      ['roll', 'stop', 'FLAG'],
      ['set', 'FLAG', '--chance', '30%'],
      ['set', 'FLAG', '--ab', 'x', 'y', '--chance', '40%'],
      ['restore', '1', '--yes'],
      ['delete', 'FLAG', '--yes'],
    ]
    for (const args of writes) {
      expect((await cli.run(...args)).stderr, args.join(' ')).toContain(paused)
      expect((await cli.run('set', 'OTHER', args.join(' '))).stderr).not.toContain('is paused')
      await cli.run('change', 'resume', id)
    }
  })

  test.each([
    [['1%', '10%'], '--every is missing'],
    [['1%', '--every', 'daily'], '--every is not a time between steps'],
    [['1%', '--every', '2h', '--at', '9:00'], '--at needs steps that are days or weeks apart'],
    [['1%', '--every', '2d', '--not-on', 'holidays'], '--not-on is not a list of days'],
    [['1%', '--every', '2d', '--guard', 'panic'], '--guard must be hold or abort, not panic'],
    [['often', '--every', '2d'], 'The chance "often" is not a chance'],
    [['1%', '--every', '2d', '--zone', 'Mars'], 'Unknown time zone "Mars"'],
  ])('%j is refused', async (args, message) => {
    const cli = await startTestCli(testEnv)
    const { status, stderr } = await cli.run('ramp', 'FLAG', ...args)
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

test('a change that is not there is named, and another project needs no --stage', async () => {
  const { cli } = await newScene()
  const { status, stderr } = await cli.run('change', 'show', 'chg_nowhere')
  expect([status, stderr]).toEqual([
    5,
    'NOT_FOUND: There is no change "chg_nowhere" that you may see; try: rollkey change list --all\n',
  ])
  const id = idIn(await cli.run('set', 'LIMIT', '25', '--reason', 'r'))
  expect((await cli.run('change', 'approve', id.slice(0, -2))).stderr).toContain(`; did you mean ${id}?`)
  expect((await cli.run('change', 'show', id, '--stage', 'elsewhere')).stderr).toContain(
    `${id} of shop/dev: needs 1 approval\n`,
  )
})
