/**
 * Every command in the docs exists as it is written there, and tests run it with each of its options. `readme.test.ts` and others run
 * whole blocks of the docs.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { endpoints } from '@rollkey/contract'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { commands, groups } from '../../src/commands/index.ts'
import { addCommand } from '../../src/frame/command.ts'
import { commandTree } from '../../../server/src/operator/program.ts'
import { settings } from '../../../server/src/settings.ts'
import manifest from '../../../../package.json' with { type: 'json' }

const root = path.resolve(import.meta.dirname, '../../../..')

/** Programs of others, and which test runs them, or why none does. */
const others: Readonly<Record<string, string>> = {
  alias: 'part of the shell',
  export: 'part of the shell',
  unset: 'part of the shell',
  tail: 'not run: reads a segment of a replica, whose format ship.test.ts checks',
  set: 'part of the shell',
  cd: 'part of the shell',
  echo: 'part of the shell',
  printf: 'part of the shell',
  umask: 'part of the shell',
  cat: 'part of every system',
  cp: 'part of every system',
  cut: 'part of every system',
  date: 'part of every system',
  grep: 'part of every system',
  gunzip: 'part of every system',
  head: 'part of every system',
  install: 'part of every system',
  mkdir: 'part of every system',
  pbcopy: 'part of macOS',
  mktemp: 'part of every system',
  rm: 'part of every system; storage/fixtures.test.ts runs the way back of an upgrade',
  sed: 'part of every system',
  sha256sum: 'part of every system',
  tee: 'part of every system',
  touch: 'part of every system',
  useradd: 'not run: creates a user of the system',
  age: 'not run: another program that reads the format of our backups',
  aws: 'not run: needs an account at Amazon',
  gcloud: 'not run: needs an account at Google',
  gh: 'not run: needs an account at GitHub',
  infisical: 'not run: needs an account at Infisical; imports tests read what it writes',
  doppler: 'not run: needs an account at Doppler; imports tests read what it writes',
  docker: 'not run: needs Docker; the image runs in another runtime',
  kubectl: 'not run: needs a cluster',
  vault: 'not run: needs a Vault',
  ansible: 'not run: tried by hand; vault/clients.test.ts runs two other clients of the protocol',
  openfeature: 'not run: downloads a program; ofrep/manifest.test.ts checks what it reads',
  createdb: 'not run: a client of PostgreSQL',
  pg_basebackup: 'not run: a client of PostgreSQL',
  pg_ctl: 'not run: a client of PostgreSQL',
  pg_dump: 'not run: a client of PostgreSQL',
  pg_restore: 'not run: a client of PostgreSQL',
  pg_verifybackup: 'not run: a client of PostgreSQL',
  openssl: 'not run: makes random bytes',
  journalctl: 'not run: needs systemd as the first process',
  systemctl: 'not run: needs systemd as the first process',
  psql: 'not run: a client of PostgreSQL',
  jq: 'not run: reads the format that export.test.ts checks',
  node: 'run by readme.test.ts or a test of the packages',
  python3: 'run by {in-process,ofrep}/examples.test.ts, where it is installed',
  'ofrep/bin/pip': 'not run: downloads packages',
  'ofrep/bin/python': 'not run: needs those packages; ofrep/providers.test.ts checks what they read',
  strace: 'not run: needs the rights of a debugger',
}

interface Line {
  readonly file: string
  readonly words: readonly string[]
}

function pagesIn(folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
  const pages = entries.filter((entry) => entry.endsWith('.md') && !/(?:^|\/)(?:node_modules|dist|\.\w+)\//.test(entry))
  return pages.map((entry) => path.join(folder, entry))
}

/** Returns the commands of a script as words without quotes: those of a pipe, a list and a substitution too. */
function commandsOf(script: string): string[][] {
  const joined = script.replaceAll(/\\\n/g, ' ').replaceAll(/<<'?(\w+)'?([^\n]*)\n[^]*?\n\1(?=\n|$)/g, '$2')
  const tokens = joined.matchAll(
    /(?<end>&&|\|\|?|[;()\n])|\s|#[^\n]*|\d?[<>]+\s*(?:&\d|[^\s|;&]+)|(?<word>(?:'[^']*'|"(?:[^"\\]|\\.)*"|\$\((?<inner>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)|\\.|[^\s'"&|;()])+|&)/g,
  )
  const lines: string[][] = [[]]
  for (const { 0: token, groups: kind = {} } of tokens) {
    if (kind['inner'] !== undefined) lines.unshift(...commandsOf(kind['inner']))
    if (kind['end'] !== undefined) lines.push([])
    else if (kind['word'] !== undefined) lines.at(-1)?.push(token.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"/g, '$1$2'))
  }
  return lines.filter((line) => line.length > 0)
}

const lines: Line[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'packages', 'bench', 'examples'].flatMap(pagesIn),
].flatMap((file) => {
  const text = readFileSync(path.join(root, file), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block)
  return blocks.flatMap(commandsOf).map((words) => ({ file, words }))
})

/** Returns the words without what only sets the user and the environment. */
function withoutEnvironment(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^(?:sudo|env|\w+=.*)$/.test(word))
  return first < 0 ? [] : words.slice(first)
}

/** Returns what follows a program in each of its forms, or undefined if the words are another program's. */
function argumentsOf(names: readonly string[], words: readonly string[]): readonly string[] | undefined {
  const own = withoutEnvironment(words)
  const called = own[0] === 'npx' ? own.slice(1) : own
  return names.includes(called[0] ?? '') ? called.slice(1) : undefined
}

/** The names of the programs whose commands are checked. */
const programs = {
  cli: ['rollkey', '@rollkey/cli'],
  server: ['rollkey-server', '@rollkey/server'],
  npm: ['npm'],
  curl: ['curl'],
} as const

/** Returns the commands of a program in the docs. */
function commandsIn(program: keyof typeof programs): [file: string, line: string, args: readonly string[]][] {
  return lines.flatMap(({ file, words }) => {
    const args = argumentsOf(programs[program], words)
    return args ? [[file, args.join(' '), args]] : []
  })
}

describe('rollkey', () => {
  test.each(commandsIn('cli'))('%s: rollkey %s', async (_, line, args) => {
    const program = new Command('rollkey').exitOverride().enablePositionalOptions().option('--version')
    let outcome: unknown
    const around = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {}, cwd: root }
    const heard = { end: () => (outcome = 'parsed'), fail: (error: unknown) => (outcome = error) }
    for (const spec of commands) addCommand(program, groups, { ...spec, run: async () => {} }, around, heard)
    const silence = (each: Command): void => {
      each.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
      each.commands.forEach(silence)
    }
    silence(program)
    await program.parseAsync([...args], { from: 'user' }).catch((error: { code: string }) => {
      if (error.code !== 'commander.helpDisplayed') throw error
      outcome = 'parsed'
    })
    expect(outcome, line).toBe(args[0] === '--version' ? undefined : 'parsed')
  })
})

describe('rollkey-server', () => {
  test.each(commandsIn('server'))('%s: rollkey-server %s', async (_, __, args) => {
    // These start the service.
    const isStart = args.length === 0 || args[0] === '--demo'
    let isParsed = isStart
    const tree = commandTree(
      async () => void (isParsed = true),
      () => {},
    )
    if (!isStart) await tree.parseAsync([...args], { from: 'user' })
    expect(isParsed).toBe(true)
  })
})

/** How each page names the program of the operator before its first command. */
const operatorSentence =
  "The [operator's command](rollkey-server.md) is `npx @rollkey/server` with npm and in a checkout, and `rollkey-server` where it is installed."
const operatorPages = new Set(
  commandsIn('server').flatMap(([file, , args]) => (args[0]?.startsWith('-') === false ? [file] : [])),
)

test.each([...operatorPages].filter((file) => /^docs\/(?!rollkey-server)[\w-]+\.md$/.test(file)))(
  '%s says how the command of the operator is typed',
  (file) => {
    const [before = ''] = readFileSync(path.join(root, file), 'utf8').split(
      /```sh\n(?:(?!```)[^])*?\b(?:@rollkey\/server|rollkey-server) [a-z]/,
    )
    expect(before).toContain(operatorSentence)
  },
)

/** The text of the tests that run the two programs. */
const runs = ['packages/cli/test/process', 'packages/server/test', 'packages/server/testkit']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  )
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(path.join(root, file), 'utf8').replaceAll(/\s+/g, ' '))
  .join('\n')

/** Returns the first words of a command, up to what is a name or value, and its options. */
function shapeOf(
  args: readonly string[],
  groupNames: ReadonlySet<string>,
): { words: readonly string[]; options: readonly string[] } {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  const isOption = (word: string): boolean => word.startsWith('-') && word !== '-'
  return {
    words: isOption(own[0] ?? '-') ? [] : own.slice(0, groupNames.has(own[0] ?? '') ? 2 : 1),
    options: own.filter(isOption).map((word) => word.replace(/=.*/, '')),
  }
}

test('tests run every command in the docs, with each of its options', () => {
  const operator = commandTree(
    async () => {},
    () => {},
  )
  const operatorGroups = operator.commands.filter(({ commands: inner }) => inner.length > 0).map((each) => each.name())
  const groupsOf = { cli: new Set(Object.keys(groups)), server: new Set(operatorGroups) }
  const all = (['cli', 'server'] as const).flatMap((program) =>
    commandsIn(program).map(([file, line, args]) => ({ at: `${file}: ${line}`, ...shapeOf(args, groupsOf[program]) })),
  )
  const missing = all.filter(({ words, options }) => {
    const isRun = [words.map((word) => `'${word}'`).join(', '), words.join(' ')].some((text) => runs.includes(text))
    return !isRun || options.some((option) => !runs.includes(option))
  })
  expect(all.length).toBeGreaterThan(100)
  expect(missing).toEqual([])
})

test('every script of npm exists', () => {
  const missing = commandsIn('npm').filter(([, , [verb, ...more]]) => {
    const script =
      verb === 'run'
        ? more.find((word) => !word.startsWith('-'))
        : ['start', 'test'].includes(verb ?? '')
          ? verb
          : undefined
    return script !== undefined && !Object.hasOwn(manifest.scripts, script)
  })
  expect(missing).toEqual([])
})

test('every address of the API exists', () => {
  const paths = new Set(Object.values(endpoints).map((endpoint) => endpoint.path as string))
  const requested = commandsIn('curl').flatMap(([file, line]) =>
    [...line.matchAll(/:\/\/[^/ ]+(\/v1\/[\w/-]+)/g)].map(([, found]) => `${found} (${file})`),
  )
  expect(requested.length).toBeGreaterThan(1)
  expect(requested.filter((found) => !paths.has(found.split(' ')[0] ?? ''))).toEqual([])
})

test('every setting exists', () => {
  const served = settings.flatMap(({ name }) => [name, `${name}_FILE`])
  const ofClients = ['URL', 'ORG', 'PROJECT', 'STAGE', 'TOKEN', 'TOKEN_FILE', 'TRUST', 'ID_TOKEN', 'ID_TOKEN_FILE']
  const known = new Set([...served, ...ofClients.map((name) => `ROLLKEY_${name}`)])
  const said = lines.flatMap(({ file, words }) =>
    words.flatMap((word) => [...word.matchAll(/^(ROLLKEY_\w+)=/g)].map(([, name = '']) => [name, file] as const)),
  )
  expect(said.length).toBeGreaterThan(20)
  // The names of providers are those that an operator gives them.
  expect(said.filter(([name]) => !known.has(name) && !/^ROLLKEY_SIGN_IN_[A-Z]+_/.test(name))).toEqual([])
})

test('every other program is listed, with the reason why it is not run', () => {
  const known = Object.values(programs).flat()
  const rest = lines.filter(({ words }) => !argumentsOf(known, words))
  const names = rest.map(({ file, words }) => [withoutEnvironment(words)[0], file, words] as const)
  expect(names.filter(([name]) => name !== undefined && !Object.hasOwn(others, name))).toEqual([])
})
