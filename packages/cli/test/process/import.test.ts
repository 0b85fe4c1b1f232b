/** `rollkey import` as a process. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { nastier, nasty } from '../nasty.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)
let stages = 0
/** Returns a separate stage for each test. */
let stage = ''

beforeAll(async () => {
  await write(testEnv, at('dev'), [secret('A', 'a')])
})

function at(stageSlug: string) {
  return tenantAt(cli.tenant, { stageSlug })
}

function put(name: string, content: string | Buffer): void {
  writeFileSync(path.join(cli.cwd, name), content)
}

function newStage(): string {
  stage = `stage-${++stages}`
  return stage
}

async function pulled(): Promise<unknown> {
  return JSON.parse((await cli.run('pull', '--stage', stage, '--format', 'json')).stdout)
}

describe('import', () => {
  test.each(['dotenv', 'json'] as const)('reads the output of pull: %s', async (format) => {
    const values = format === 'dotenv' ? nasty : { ...nasty, ...nastier }
    const entries = Object.entries(values).map(([name, value]) => secret(name, value))
    await write(testEnv, at(newStage()), entries)
    await cli.run('pull', '--stage', stage, '--format', format, '-o', 'all')
    const { status, stderr } = await cli.run('import', 'all', '--stage', newStage(), '--create', '--yes')
    expect(status, stderr).toBe(0)
    expect(await pulled()).toEqual(values)
  })

  test.each([
    ['infisical', '[{"key":"A","value":"1","type":"shared"}]'],
    ['doppler', '{"A":"1","DOPPLER_CONFIG":"c","DOPPLER_ENVIRONMENT":"e","DOPPLER_PROJECT":"p"}'],
    ['vault', '{"request_id":"r","data":{"data":{"A":"1"},"metadata":{"version":1}}}'],
  ])('reads an export of %s from stdin, with and without --from', async (from, text) => {
    for (const args of [[], ['--from', from]]) {
      expect(await cli.feed(text, 'import', '-', '--stage', newStage(), '--create', '--yes', ...args)).toMatchObject({
        status: 0,
      })
      expect(await pulled()).toEqual({ A: '1' })
    }
  })

  test('writes more than one request can carry', async () => {
    const values = Object.fromEntries(Array.from({ length: 2_300 }, (_, index) => [`N${index}`, `${index}`.repeat(5)]))
    put('many.json', JSON.stringify(values))
    const { status, stderr } = await cli.run('import', 'many.json', '--stage', newStage(), '--create', '--yes')
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `The stage shop/${stage} is new.\nWrote 2300 variables to shop/${stage} (revision 3).\n`,
    })
    expect(await pulled()).toEqual(values)
  })

  test('reports its progress if it fails', async () => {
    await write(testEnv, at(newStage()), [secret('N2000', '5', 'int64')])
    const values = Object.fromEntries(Array.from({ length: 2_300 }, (_, index) => [`N${index}`, 'secret words']))
    put('many.json', JSON.stringify(values))
    const { status, stderr } = await cli.run('import', 'many.json', '--stage', stage, '--yes')
    expect(status).toBe(6)
    expect(stderr).toMatch(
      /^INVALID_REQUEST: .*N2000.* The first 2000 of 2300 variables were written. Those from N2000 on were not\n$/,
    )
    expect(stderr).not.toContain('words')
    expect(Object.keys((await pulled()) as object)).toHaveLength(2_001)
  })

  test('keeps the declared type, and reports that a roll is replaced', async () => {
    await write(testEnv, at(newStage()), [secret('LIMIT', '5', 'int64'), roll('FLAG', 0.5)])
    put('.env', 'LIMIT=6\nFLAG=on\nNEW=x\nNEW=y\n')
    const ended = await cli.run('import', '.env', '--stage', stage, '--yes')
    expect(ended).toMatchObject({ status: 0, stdout: 'LIMIT\treplace\nFLAG\treplace-roll\nNEW\tcreate\n' })
    expect(ended.stderr).toContain(
      'These names appear more than once, and the last value is used: NEW (lines 3 and 4).\n',
    )
    const { variables } = JSON.parse((await cli.run('list', '--stage', stage, '--json')).stdout)
    expect(variables).toMatchObject([
      { name: 'FLAG', kind: 'secret' },
      { name: 'LIMIT', kind: 'secret', declaredType: 'int64' },
      { name: 'NEW' },
    ])
    expect(await pulled()).toEqual({ FLAG: 'on', LIMIT: '6', NEW: 'y' })
  })

  test('writes nothing when it runs again, and only what differs later', async () => {
    put('.env', 'A=1\nB=2\n')
    const args = ['import', '.env', '--stage', newStage(), '--yes'] as const
    expect(await cli.run(...args, '--create')).toMatchObject({ status: 0 })
    const again = await cli.run(...args)
    expect(again).toMatchObject({ status: 0, stdout: 'A\tsame\nB\tsame\n' })
    expect(again.stderr).toBe(
      'Left out 2 variables with the same value. Add --force to write all.\nNothing to write.\n',
    )
    expect(await cli.run(...args, '--reason', 'Again')).toMatchObject({ status: 0, stdout: 'A\tsame\nB\tsame\n' })
    put('.env', 'A=1\nB=3\n')
    expect((await cli.run(...args)).stderr).toContain(`Wrote 1 variable to shop/${stage} (revision 2).`)
    expect((await cli.run(...args, '--force')).stderr).toContain(`Wrote 2 variables to shop/${stage} (revision 3).`)
  })

  test('writes nothing that it cannot compare: a protected stage before a confirmation', async () => {
    await write(testEnv, at(newStage()), [secret('A', '1')])
    const { user } = cli.tenant
    const { orgSlug, projectSlug, stageSlug } = at(stage).at
    const where = { orgSlug, projectSlug, stageSlug }
    const token = await testEnv.provider.confirmedTokenOf(user)
    const principal = { kind: 'user', id: user.userId }
    await testEnv.client.must('accessGrant', { ...where, principal, role: 'developer' }, { token })
    await testEnv.client.must('stageProtect', { ...where, isProtected: true }, { token })
    put('.env', 'A=1\n')
    const args = ['import', '.env', '--stage', stage, '--yes'] as const
    const refused = await cli.run(...args)
    expect(refused).toMatchObject({ status: 4, stdout: 'A\treplace\n' })
    expect(refused.stderr).toMatch(/CONFIRMATION_REQUIRED: .*nothing was written\. Add --force to write 1 variable/)
    expect((await cli.run(...args, '--reason', 'Rotated')).stderr).toContain('it may have some of these already')
    expect((await cli.run(...args, '--force')).stderr).toContain('(revision 2)')
  })

  test('asks for confirmation on a terminal, shows names but no value, and writes nothing after No', async () => {
    put('.env', 'A=hush\nB=hush\n')
    const question = `Create shop/${newStage()} and write 2 variables?`
    const no = await cli.terminal(['import', '.env', '--stage', stage], [[question, '\r']])
    expect(no.status, no.screen).toBe(1)
    expect(no.screen).toContain('Nothing was changed')
    expect(no.screen).toMatch(/A +create/)
    expect(no.screen).not.toContain('hush')
    expect(await cli.run('list', '--stage', stage)).toMatchObject({ status: 5 })
    const yes = await cli.terminal(['import', '.env', '--stage', stage], [[question, 'y']])
    expect(yes.status, yes.screen).toBe(0)
    expect(yes.screen).toContain('The new ones are secret.')
    expect(await pulled()).toEqual({ A: 'hush', B: 'hush' })
  })

  test('needs --yes without a terminal, and --dry-run writes nothing', async () => {
    put('.env', 'A=1\n')
    const refused = await cli.run('import', '.env', '--stage', newStage(), '--create')
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(/^USAGE: .*; try: the same command with --yes$/m)
    expect(await cli.run('import', '.env', '--stage', stage, '--yes')).toMatchObject({ status: 5 })
    expect(await cli.run('import', '.env', '--stage', stage, '--dry-run')).toMatchObject({ status: 0 })
    expect(await cli.run('list', '--stage', stage)).toMatchObject({ status: 5 })
  })

  test.each([
    ['lines', 'A=1\nnonsense hush\n', 'line 2: Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
    ['bytes', Buffer.from('A=1\nB=hush\xff', 'latin1'), 'broken, line 2: Expected UTF-8 text'],
    ['UTF-16', Buffer.from('\ufeffA=hush', 'utf16le'), 'broken, line 1: Expected UTF-8 text'],
    ['UTF-16 without a mark', Buffer.from('A=hush', 'utf16le'), 'line 1: Expected text without the character NUL'],
    ['cut values', 'A=1\nPASSWORD=p@ss#hush\n', 'line 2: The value of PASSWORD would end at a # without a space'],
    ['nothing', '# none\n', 'The file has no variables, so nothing was written'],
    ['an empty file', '', 'The file has no variables, so nothing was written'],
    ['an empty object', '{}', 'The file has no variables, so nothing was written'],
  ])('refuses %s that it does not understand without quoting it', async (_, content, what) => {
    put('broken', content)
    const { status, stdout, stderr } = await cli.run('import', 'broken', '--yes', '--create', '--stage', newStage())
    expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
    expect(stderr).toMatch(/^INVALID_IMPORT: broken/)
    expect(stderr).toContain(what)
    expect(stderr).not.toContain('hush')
    expect(await cli.run('list', '--stage', stage)).toMatchObject({ status: 5 })
  })

  test('says what it left out of a value', async () => {
    put('.env', 'A=hush \r\nB="x\r\ny"\r\nA=hush\r\n')
    const { status, stderr } = await cli.run('import', '.env', '--yes', '--create', '--stage', newStage())
    expect(status).toBe(0)
    expect(stderr).toContain('.env, line 1: The white space around the value of A was left out.')
    expect(stderr).toContain('.env, line 2: The carriage returns in the value of B were left out.')
    expect(stderr).toContain('the last value is used: A (lines 1 and 4)')
    expect(stderr).not.toContain('hush')
    expect(await pulled()).toEqual({ A: 'hush', B: 'x\ny' })
  })

  test('reads a file written on Windows', async () => {
    put('windows', '\ufeffA=1\r\nB="x\\r\\ny"\r\n')
    expect(await cli.run('import', 'windows', '--yes', '--create', '--stage', newStage())).toMatchObject({ status: 0 })
    expect(await pulled()).toEqual({ A: '1', B: 'x\r\ny' })
  })
})

describe('text from stdin', () => {
  test('that begins with a byte order mark keeps it as a value, which is said', async () => {
    const { status, stderr } = await cli.feed('\ufeffhush', 'set', 'MARKED', '--stage', newStage(), '--create')
    expect(status).toBe(0)
    expect(stderr).toContain('The value of MARKED begins with a byte order mark, which is kept.')
    expect(stderr).not.toContain('hush')
    expect(await pulled()).toEqual({ MARKED: '\ufeffhush' })
  })

  test.each([
    ['seeds', ['roll', 'pin', 'FLAG', 'a', '-']],
    ['rules', ['roll', 'rule', 'FLAG', '-']],
  ])('that is not UTF-8 is refused with its line: %s', async (_, args) => {
    await write(testEnv, at(newStage()), [roll('FLAG', 0.5)])
    const bytes = Buffer.from('one\nh\xfcsh\n', 'latin1')
    const { status, stderr } = await cli.feed(bytes, ...args, '--stage', stage)
    expect(status).toBe(6)
    expect(stderr).toMatch(/^INVALID_REQUEST: stdin, line 2: Expected UTF-8 text/)
  })
})
