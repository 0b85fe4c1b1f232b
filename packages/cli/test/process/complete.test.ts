/** Names that `rollkey complete` offers, and what Tab makes of a line in real shells. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { spawn } from '@lydell/node-pty'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { rollkey } from '../../testkit/run.ts'
import { formatNames } from '../../src/formats/index.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)

beforeAll(async () => {
  await write(testEnv, cli.tenant, [secret('KEY', 'canary'), secret('$(touch hacked)', 'x'), secret('a b', 'x')])
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'prod' }), [secret('OF_PROD', 'canary')])
})

/** Returns the offered words. */
async function offered(...typed: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await cli.run('complete', '--', ...typed)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).not.toContain('canary')
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : (line.split('\t')[0] ?? [])))
}

test.each([
  [['get', ''], ['KEY']],
  [['get', '--stage', 'prod', 'OF'], ['OF_PROD']],
  [
    ['get', '--stage', ''],
    ['dev', 'prod'],
  ],
  [
    ['promote', ''],
    ['dev', 'prod'],
  ],
  [['copy', 'shop/prod', 'dev', ''], ['OF_PROD']],
  [['get', '--project', ''], ['shop']],
  [['audit', '--project', ''], ['shop']],
  [
    ['access', 'list', '--scope', ''],
    ['stage', 'project', 'organization'],
  ],
  [
    ['access', 'list', ''],
    ['dev', 'prod'],
  ],
  [
    ['set', 'KEY', '--type', ''],
    ['string', 'boolean', 'int64', 'float', 'date', 'json'],
  ],
  [['pull', '-f', ''], formatNames],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [
    ['get', '--stage=pr'],
    ['--stage=dev', '--stage=prod'],
  ],
  [
    ['get', '--stage='],
    ['--stage=dev', '--stage=prod'],
  ],
  [['get', '--stage=prod', ''], ['OF_PROD']],
  [['get', '--description', '--stage=pr', '--stage=prod', 'O'], ['OF_PROD']],
  [['audit', '--project=s'], ['--project=shop']],
  [
    ['set', 'KEY', '--type=j'],
    ['--type=string', '--type=boolean', '--type=int64', '--type=float', '--type=date', '--type=json'],
  ],
  [['pull', '-fj'], formatNames.map((format) => `-f${format}`)],
  [['set', '--description', '--stage=p'], []],
  [['set', '--description=a'], []],
  [['pull', '--out=a'], []],
  [['pull', '-oa'], []],
  [['pull', '--out', ''], []],
  [['set', '--description', ''], []],
])('%j offers %j: no name that a shell would expand', async (typed, expected) => {
  expect(await offered(...typed)).toEqual(expected)
})

test.each([
  ['get', '-'],
  ['set', 'KEY', ''],
  ['completion', 'bash', ''],
  ['change', 'show', ''],
  ['get', '--url', 'http://127.0.0.1:9', ''],
  ['get', '--stage', 'dve', ''],
  ['set', 'KEY', '--plain=', ''],
  ['set', 'KEY', '--plain=x'],
  ['pull', '-f'],
])('offers options if they are begun, or there is nothing else: %j %j %j %j', async (...typed) => {
  const words = await offered(...typed)
  expect(words).toContain('--json')
  expect(words.filter((word) => !word.startsWith('-'))).toEqual([])
})

/** How each shell starts without the configuration of the machine, and what it reads first. */
const shells = {
  bash: { args: ['--norc', '--noprofile'], setUp: `PS1=rea'dy> '; eval "$(rollkey completion bash)"` },
  zsh: {
    args: ['-f'],
    setUp: `PS1=rea'dy> '; autoload -Uz compinit; compinit -D -u; eval "$(rollkey completion zsh)"`,
  },
  fish: {
    args: ['--no-config'],
    setUp: `function fish_prompt; echo -n rea'dy> '; end; rollkey completion fish | source`,
  },
}

/** Starts a shell until the end of the current test. Its `rollkey` completes, and otherwise prints its arguments in brackets. */
async function startShell(shell: keyof typeof shells) {
  const bin = path.join(cli.cwd, 'bin')
  mkdirSync(bin, { recursive: true })
  const script = `#!/bin/sh
case $1 in
  complet*) exec '${process.execPath}' '${rollkey}' "$@" ;;
  *) printf '[%s]' "$@"; echo ;;
esac
`
  writeFileSync(path.join(bin, 'rollkey'), script, { mode: 0o755 })
  const { args, setUp } = shells[shell]
  const env = { ...cli.env, PATH: `${bin}:${cli.env['PATH']}`, TERM: 'xterm' }
  const terminal = spawn(shell, args, { env, cwd: cli.cwd, cols: 400, rows: 50 })
  onTestFinished(() => terminal.kill('SIGKILL'))
  let screen = ''
  terminal.onData((data) => (screen += data))
  const type = async (line: string, until: RegExp): Promise<string | undefined> => {
    screen = ''
    terminal.write(`${line}\r`)
    await expect.poll(() => screen).toMatch(until)
    return until.exec(screen)?.[1]
  }
  await type(setUp, /ready> /)
  return { argumentsOf: (line: string) => type(line, /[\r\n](\[.*\])\r?\n[^]*ready> /) }
}

describe.each(Object.keys(shells) as (keyof typeof shells)[])('%s', (shell) => {
  const isMissing = spawnSync(shell, ['--version']).status !== 0
  test.skipIf(isMissing)('completes values after = and a space alike', async () => {
    const { argumentsOf } = await startShell(shell)
    const { url } = testEnv.app
    for (const [typed, printed] of [
      ['get --stage pr', '[get][--stage][prod]'],
      ['get --stage=pr', '[get][--stage=prod]'],
      ['get --stage="pr', '[get][--stage=prod]'],
      ['pull -fjs', '[pull][-fjson]'],
      // Bash splits words at : and =.
      [`get --seed a=b:c --url=${url} --stage=pr`, `[get][--seed][a=b:c][--url=${url}][--stage=prod]`],
      [`get --url ${url} --stage prod OF`, `[get][--url][${url}][--stage][prod][OF_PROD]`],
      ['copy --project "shop" prod dev OF', '[copy][--project][shop][prod][dev][OF_PROD]'],
      ['pull --out=rollkey.j', '[pull][--out=rollkey.json]'],
      ['pull --out rollkey.j', '[pull][--out][rollkey.json]'],
    ] as const) {
      expect(await argumentsOf(`rollkey ${typed}\t`), typed).toBe(printed)
    }
  })
})
