/**
 * Injects faults between the steps of an operation, without any change of the service's source: it wraps the functions that
 * execute statements and write the usage journal. A step has two points, before and after it. An order says what happens at
 * which point. It either travels with a request, as its request id, and affects the steps of that request only, or applies
 * everywhere, through the variable FAULT of a process that loads this file with --import.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import fs from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { pause } from './pause.ts'
import { callbackify } from 'node:util'
import { Client } from 'pg'

/**
 * `kill`: SIGKILL to the process. `copy`: a test copies the files that a kill would leave. `error`: the engine reports an
 * error; before the step nothing was done, after it everything was, and uncommitted changes are lost. `full`: the same with
 * the error of a full disk. `unsynced`: the same with that of a disk that could not be synced. `delay`: the step takes longer.
 */
export type Action = 'kill' | 'copy' | 'delay' | Failure
type Failure = 'error' | 'full' | 'unsynced'

export interface Order {
  /** Receives each point in turn and returns what is to happen there. */
  meet(point: string): Action | undefined
}

const delayMs = 30
const perRequest = new AsyncLocalStorage<Order | undefined>()

export const faults: {
  /** Applies to everything that has no separate order. */
  everywhere: Order | undefined
  /** Callback of `copy`. */
  copy: () => void
} = { everywhere: undefined, copy: () => {} }

/** An order for one point. `met` lists all points that were passed, with a number if a name repeats. */
export class Once implements Order {
  readonly met: string[] = []
  readonly #action: Action | undefined
  readonly #at: string | undefined

  constructor(action?: Action, at?: string) {
    this.#action = action
    this.#at = at
  }

  meet(name: string): Action | undefined {
    const before = this.met.filter((each) => each.split(' #', 1)[0] === name).length
    const point = before === 0 ? name : `${name} #${before + 1}`
    this.met.push(point)
    return point === this.#at ? this.#action : undefined
  }
}

function parsed(text: string | undefined): Once | undefined {
  const [, action, at] = /^fault\.(kill|copy|delay|error|full|unsynced|none)\.(.+)$/.exec(text ?? '') ?? []
  if (action === undefined) return undefined
  return action === 'none' ? new Once() : new Once(action as Action, at)
}

const latest = new Map<string, Once>()

/** Returns an order as text, for a request id or the variable of a process. */
export function faultId(action: Action | 'none', at = 'nowhere'): string {
  return `fault.${action}.${at}`
}

/** Returns the points that the latest request with an id has passed in this process. */
export function pointsOf(requestId: string): readonly string[] {
  return latest.get(requestId)?.met ?? []
}

/** Runs work under an order, until its promise settles. */
export function under<T>(order: Order, work: () => T): T {
  return perRequest.run(order, work)
}

subscribe('http.server.request.start', (message) => {
  const { headers } = (message as { request: IncomingMessage }).request
  const requestId = headers['x-request-id']
  const order = parsed(typeof requestId === 'string' ? requestId : undefined)
  if (order) latest.set(requestId as string, order)
  perRequest.enterWith(order)
})

function meet(point: string): Action | undefined {
  const action = (perRequest.getStore() ?? faults.everywhere)?.meet(point)
  if (action === 'kill') process.kill(process.pid, 'SIGKILL')
  if (action === 'copy') faults.copy()
  return action
}

function isFailure(action: Action | undefined): action is Failure {
  return action === 'error' || action === 'full' || action === 'unsynced'
}

/** Runs a synchronous step, during which nothing else can run. */
function step<T>(label: string, run: () => T, fail: (failure: Failure, isUndone: boolean) => never): T {
  const before = meet(`before ${label}`)
  if (isFailure(before)) fail(before, before !== 'error')
  const result = run()
  const after = meet(`after ${label}`)
  if (isFailure(after)) fail(after, true)
  if (after === 'delay') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs)
  return result
}

function labelOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 60).trimEnd()
}

/** SQLITE_IOERR_WRITE, SQLITE_FULL and SQLITE_IOERR_FSYNC: <https://sqlite.org/rescode.html>. */
const sqliteCodes: Record<Failure, number> = { error: 778, full: 13, unsynced: 1034 }

type Method = (this: unknown, ...args: unknown[]) => unknown

function methodOf(target: object, name: string): Method {
  return Reflect.get(target, name) as Method
}

/** Replaces a method. */
function wrap(target: object, name: string, wrapper: (original: Method) => Method): void {
  Reflect.set(target, name, wrapper(methodOf(target, name)))
}

const rawExec = methodOf(DatabaseSync.prototype, 'exec')

/** Returns a function that throws the injected error. `isUndone` rolls back first, as SQLite does after most errors. */
function failSqlite(database: DatabaseSync | undefined): (failure: Failure, isUndone: boolean) => never {
  return (failure, isUndone) => {
    if (isUndone && database?.isTransaction) rawExec.call(database, 'rollback')
    throw Object.assign(new Error(`injected ${failure}`), { code: 'ERR_SQLITE_ERROR', errcode: sqliteCodes[failure] })
  }
}

/** Connections that write, by path. */
export const writers = new Map<string, DatabaseSync>()
const owners = new WeakMap<StatementSync, DatabaseSync>()

wrap(
  DatabaseSync.prototype,
  'prepare',
  (prepare) =>
    function (...args) {
      const statement = prepare.apply(this, args)
      const database = this as DatabaseSync
      owners.set(statement as StatementSync, database)
      if (args[0] === 'begin immediate') writers.set(database.location() ?? '', database)
      return statement
    },
)
wrap(
  DatabaseSync.prototype,
  'exec',
  (exec) =>
    function (text) {
      return step(labelOf(text as string), () => exec.call(this, text), failSqlite(this as DatabaseSync))
    },
)
for (const name of ['all', 'get', 'run']) {
  wrap(
    StatementSync.prototype,
    name,
    (original) =>
      function (...params) {
        const statement = this as StatementSync
        return step(labelOf(statement.sourceSQL), () => original.apply(this, params), failSqlite(owners.get(statement)))
      },
  )
}

/** The part of a pool's client that is needed to break its connection. */
interface Breakable {
  readonly connection: { readonly stream: { destroy(): void } }
}

async function stepOfPostgres(client: Breakable, label: string, run: () => unknown): Promise<unknown> {
  // A statement on a broken connection fails on its own.
  if (isFailure(meet(`before ${label}`))) client.connection.stream.destroy()
  const result = await run()
  const after = meet(`after ${label}`)
  if (after === 'delay') await pause(delayMs)
  if (!isFailure(after)) return result
  client.connection.stream.destroy()
  throw new Error('injected loss of the connection')
}

/** A transaction that is sent at once, which is one step with its commit. */
interface Batch {
  submit(): void
  callback: (error: Error | null, results?: unknown) => void
}

wrap(
  Client.prototype,
  'query',
  (query) =>
    function (...args) {
      if (!perRequest.getStore() && !faults.everywhere) return query.apply(this, args)
      const [batch] = args as [Partial<Batch> | undefined]
      if (batch?.submit) {
        const { callback } = batch as Batch
        const run = (): Promise<unknown> =>
          new Promise((resolve, reject) => {
            batch.callback = (error, results) => (error ? reject(error) : resolve(results))
            query.apply(this, args)
          })
        callbackify(() => stepOfPostgres(this as Breakable, 'commit at once', run))(callback)
        return batch
      }
      const [statement] = args as [string | { text: string }]
      const text = typeof statement === 'string' ? statement : statement.text
      // Whether a request makes a connection depends on those before it.
      if (text.includes('pg_is_in_recovery')) return query.apply(this, args)
      const callback =
        typeof args.at(-1) === 'function' ? (args.pop() as (error: unknown, result: unknown) => void) : undefined
      const label = labelOf(text)
      const run = (): Promise<unknown> => stepOfPostgres(this as Breakable, label, () => query.apply(this, args))
      return callback ? callbackify(run)(callback) : run()
    },
)

/** Open descriptors whose writes and syncs are steps. */
const files = new Map<number, string>()

function nameOf(file: unknown): string | undefined {
  const [, name] = /(\.journal|-wal|usage)$/.exec(String(file)) ?? []
  return name
}

function failFile(failure: Failure): never {
  const code = failure === 'full' ? 'ENOSPC' : 'EIO'
  throw Object.assign(new Error(`injected ${code}`), { code })
}

wrap(fs, 'openSync', (open) => (file, ...rest) => {
  const name = nameOf(file)
  if (name === undefined) return open(file, ...rest)
  const descriptor = step(`open ${name}`, () => open(file, ...rest), failFile)
  files.set(descriptor as number, name)
  return descriptor
})
wrap(fs, 'closeSync', (close) => (descriptor) => {
  files.delete(descriptor as number)
  return close(descriptor)
})
wrap(fs, 'writeSync', (write) => (descriptor, ...rest) => {
  const name = files.get(descriptor as number)
  const run = (): unknown => write(descriptor, ...rest)
  return name === undefined ? run() : step(`write ${name}`, run, failFile)
})
wrap(fs, 'rmSync', (remove) => (file, ...rest) => {
  const name = nameOf(file)
  const run = (): unknown => remove(file, ...rest)
  return name === undefined ? run() : step(`remove ${name}`, run, failFile)
})
for (const name of ['fdatasync', 'fsync']) {
  wrap(fs, name, (sync) => (descriptor, callback) => {
    const file = files.get(descriptor as number)
    if (file === undefined) return sync(descriptor, callback)
    try {
      return step(`sync ${file}`, () => sync(descriptor, callback), failFile)
    } catch (error) {
      return setImmediate(callback as fs.NoParamCallback, error as NodeJS.ErrnoException)
    }
  })
}
syncBuiltinESMExports()

faults.everywhere = parsed(process.env['FAULT'])
