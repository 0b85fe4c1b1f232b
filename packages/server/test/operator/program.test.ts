/** Tests the operator's command line: its help, its errors and its exit statuses. */
// cspell:ignore orgg stauts tokn clalers bakup
import { execFileSync, spawnSync } from 'node:child_process'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { CommandError } from '../../src/operator/command-error.ts'
import { LiveReport, Report, type OperatorCommand } from '../../src/operator/command.ts'
import { commands, groups } from '../../src/operator/commands.ts'
import { runProgram } from '../../src/operator/program.ts'

/** Runs the program in this process. `answer` takes the place of the commands. */
async function run(
  line: string,
  answer: (command: OperatorCommand, input: object) => unknown = () => ({}),
  isTTY = false,
): Promise<{ status: number; stdout: string; stderr: string }> {
  const out = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr'): NodeJS.WriteStream =>
    ({ isTTY, write: (text: string) => (out[name] += text) }) as unknown as NodeJS.WriteStream
  const status = await runProgram(line.split(' '), {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    run: async (command, input) => answer(command, input),
  })
  return { status, ...out }
}

describe('the help', () => {
  const names = ['', ...Object.keys(groups), ...commands.map(({ name }) => name)]

  test.each(names)('of `%s` fits into 80 columns', async (name) => {
    const { status, stdout, stderr } = await run(`${name} --help`.trim())
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: npx @rollkey/server ${name}`))
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test.each(commands.map((command) => [command.name, command] as const))(
    'of `%s` has examples that the program accepts',
    async (name, { examples }) => {
      expect(examples).not.toEqual([])
      for (const [line] of examples) {
        const accepted: string[] = []
        await run(line.replace(/ [<>].*|\$\(.*\)/, ''), (command) => accepted.push(command.name))
        expect(accepted, line).toEqual([name])
      }
    },
  )

  test('lists every command in its group', async () => {
    const all = commands.map(({ name }) => name)
    const firstWords = all.flatMap((name) => (name.includes(' ') ? [name.slice(0, name.indexOf(' '))] : []))
    const withoutMeaning = new Set(firstWords.filter((word) => !all.includes(word)))
    expect(Object.keys(groups).toSorted()).toEqual([...withoutMeaning].toSorted())
    const { stdout } = await run('token --help')
    for (const word of ['create', 'list', 'revoke']) expect(stdout).toMatch(new RegExp(`^  ${word} `, 'm'))
  })
})

describe('arguments and options', () => {
  const inputOf = async (line: string): Promise<object> => {
    let input: object = {}
    const { stderr } = await run(line, (_, given) => (input = given))
    expect(stderr).toBe('')
    return input
  }

  test('reach the command by name, and files as absolute paths', async () => {
    expect(await inputOf('token create web --org acme --write')).toEqual({ name: 'web', org: 'acme', write: true })
    expect(await inputOf('backup verify a.age --key-file /k --json')).toEqual({
      file: path.resolve('a.age'),
      keyFile: '/k',
    })
    expect(await inputOf('usage callers --org acme --month 2026-11')).toEqual({ org: 'acme', month: '2026-11' })
    expect(await inputOf('billing retry')).toEqual({ report: undefined })
  })

  test.each([
    ['token', 'missing command (expected create, list or revoke); try: npx @rollkey/server token --help'],
    ['token create', "missing required argument 'NAME'; try: npx @rollkey/server token create --help"],
    ['token create web', "missing required option '--org <org>'; try: npx @rollkey/server token create --help"],
    [
      'token list --orgg x',
      "unknown option '--orgg' (Did you mean --org?); try: npx @rollkey/server token list --help",
    ],
    [
      'status x',
      "too many arguments for 'status'. Expected 0 arguments but got 1; try: npx @rollkey/server status --help",
    ],
    [
      'usage 2026-11',
      "too many arguments for 'usage'. Expected 0 arguments but got 1; try: npx @rollkey/server usage --help",
    ],
    ['--bogus', "unknown option '--bogus'; try: npx @rollkey/server --help"],
    ['nonsense', "unknown command 'nonsense'; try: npx @rollkey/server --help"],
  ])('`%s` is refused in one line', async (line, what) => {
    expect(await run(line)).toEqual({ status: 2, stdout: '', stderr: `USAGE: ${what}\n` })
  })
})

test.each([
  ['stauts', 'status'],
  ['bakup', 'backup'],
  ['bakup create a', 'backup create'],
  ['tokn list', 'token list'],
  ['token lst', 'token list'],
  ['token web --org acme', 'token create web'],
  ['backup /tmp/x', 'backup create /tmp/x'],
  ['backup nightly.age', 'backup create nightly.age'],
  ['backup crate /tmp/x', 'backup create'],
  ['audit ./audit.jsonl', 'audit verify-file ./audit.jsonl'],
  ['second-factor ada@example.com', 'second-factor remove ada@example.com'],
  ['usage clalers', 'usage callers'],
  ['audit-verify acme', 'audit verify'],
  ['audit-verify-file a b', 'audit verify-file'],
  ['backup-key x', 'backup new-key'],
  ['verify a b', 'audit verify, backup verify or replica verify'],
  ['restore a b', 'backup restore or replica restore'],
  ['key-status', 'key status'],
  ['data-key-rotate', 'data-key rotate'],
  ['revoke-signing-keys', 'signing-keys revoke'],
  ['billing-retry', 'billing retry'],
])('`%s` suggests `%s`', async (line, suggestion) => {
  const { status, stderr } = await run(line)
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`(did you mean ${suggestion}?)`) })
})

describe('the output', () => {
  test('is JSON, except for a text', async () => {
    expect(await run('status', () => ({ a: 1 }))).toEqual({ status: 0, stdout: '{\n  "a": 1\n}\n', stderr: '' })
    expect((await run('audit key', () => 'PEM\n')).stdout).toBe('PEM\n')
    expect((await run('audit key --json', () => 'PEM\n')).stdout).toBe('"PEM\\n"\n')
  })

  test('is text on a terminal, and JSON with --json and elsewhere', async () => {
    const backup = () => ({ file: '/b.age', bytes: 45_600 })
    const { stdout } = await run('backup create b.age', backup, true)
    expect(stripVTControlCharacters(stdout)).toBe('file  /b.age\nsize  45.6 kB\n')
    const json = '{\n  "file": "/b.age",\n  "bytes": 45600\n}\n'
    expect((await run('backup create b.age', backup)).stdout).toBe(json)
    expect((await run('backup create b.age --json', backup, true)).stdout).toBe(json)
    expect(await run('audit verify', () => ({ good: false }), true)).toMatchObject({ status: 1 })
  })

  test('of a report is a table on a terminal without --json', async () => {
    const report = () => new Report({ good: true }, 'table\n')
    expect((await run('doctor', report, true)).stdout).toBe('table\n')
    for (const { stdout } of [await run('doctor', report), await run('doctor --json', report, true)]) {
      expect(JSON.parse(stdout)).toEqual({ good: true })
    }
  })

  test('of a live report appears on a terminal line by line, and is one JSON elsewhere', async () => {
    const going = Promise.withResolvers<void>()
    const shown: string[] = []
    async function* parts(): AsyncGenerator<string, object> {
      yield 'first\n'
      // Printed before the second line is known.
      going.resolve()
      await Promise.resolve()
      yield 'second\n'
      return { good: false, findings: 2 }
    }
    const stream = { isTTY: true, write: (text: string) => text && shown.push(text) } as unknown as NodeJS.WriteStream
    const done = runProgram(['doctor'], { stdout: stream, stderr: stream, run: async () => new LiveReport(parts()) })
    await going.promise
    expect(shown).toEqual(['first\n'])
    expect(await done).toBe(1)
    expect(shown).toEqual(['first\n', 'second\n'])
    for (const [line, isTTY] of [
      ['doctor', false],
      ['doctor --json', true],
    ] as const) {
      const { status, stdout } = await run(line, () => new LiveReport(parts()), isTTY)
      expect({ status, json: JSON.parse(stdout) as object }).toEqual({ status: 1, json: { good: false, findings: 2 } })
    }
  })

  test('has exit status 1 if a check failed', async () => {
    expect(await run('audit verify', () => ({ good: false }))).toMatchObject({ status: 1 })
  })

  test('of an error is one line, or JSON with --json', async () => {
    const fail = (): never => {
      throw new CommandError('NOT_FOUND', 'No organization.', 'organizations')
    }
    expect(await run('token list --org x', fail)).toEqual({
      status: 5,
      stdout: '',
      stderr: 'NOT_FOUND: No organization; try: npx @rollkey/server organizations\n',
    })
    const { stderr } = await run('token list --org x --json', fail)
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'NOT_FOUND', message: 'No organization.', try: 'npx @rollkey/server organizations' },
    })
  })
})

test('no text lets npx run a package of the registry that is not ours', () => {
  const foreign = ['npx', 'rollkey-server'].join(' ')
  const { status, stdout } = spawnSync('git', ['grep', '--fixed-strings', foreign], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
})

test('npx @rollkey/server runs the program in a checkout', () => {
  const bin = path.resolve(import.meta.dirname, '../../bin/rollkey-server.js')
  expect(execFileSync(process.execPath, [bin, '--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/)
})
