/** The servers under test, as processes of their own, and a client for what comes before and after the load. */
import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { serverCore, startProgram } from './machine.ts'
import type { Home } from './stores.ts'

export interface Target {
  readonly port: number
  readonly pid: number
  readonly url: string
  /** Stops it in order; resolves when it is gone. */
  stop(): Promise<void>
}

/** Rollkey with somebody who is signed in. */
export interface Service extends Target {
  readonly home: Home
  readonly token: string
  /** Of the owner; the link sets a password, once. */
  readonly owner: { readonly email: string; readonly passwordLink: string }
}

export const repository = path.resolve(import.meta.dirname, '..')
const bare = path.join(import.meta.dirname, 'bare.ts')
/** A server has one core here, and `npm start` gives a service on one core this flag. */
const ofOneCore = '--single-threaded-gc'
const patienceMs = 60_000

function mainOf(checkout: string): string {
  return path.join(checkout, 'packages/server/src/main.ts')
}

export const org = 'demo'

/** The environment without settings of a service that somebody runs here. */
function environmentOf(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLLKEY_'))
  return { ...Object.fromEntries(foreign), ...settings }
}

/** Both servers of ours print a line of JSON with their address once they listen. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout as Readable })
    lines.on('line', (line) => {
      const { url } = (line.startsWith('{') ? JSON.parse(line) : {}) as { url?: string }
      if (url !== undefined) resolve(Number(new URL(url).port))
    })
    lines.on('close', () => reject(new Error('a server ended before it served')))
  })
}

/** A program on the core of servers. `port`: undefined for a server of ours, which tells it. */
export async function startServer(
  [program, ...args]: readonly [string, ...string[]],
  settings: Readonly<Record<string, string>> = {},
  port?: number,
): Promise<Target> {
  const stdout = port === undefined ? 'pipe' : 'ignore'
  const child = startProgram(serverCore, program, args, {
    stdio: ['ignore', stdout, 'inherit'],
    env: environmentOf(settings),
  })
  const exited = once(child, 'exit')
  const found = port ?? (await portOf(child))
  return {
    port: found,
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${found}`,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Tries until it succeeds. */
export async function eventually<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await sleep(1)
    }
  }
}

/** Asks until the answer is 200 and holds what it should; its length. */
export async function answerOf(url: string, wanted = '', init?: RequestInit): Promise<number> {
  return eventually(async () => {
    const response = await fetch(url, init)
    const body = await response.text()
    if (response.status !== 200 || !body.includes(wanted))
      throw new Error(`${url} answered ${response.status}: ${body}`)
    return Buffer.byteLength(body)
  })
}

/** The bare server; every answer has `bodyBytes`. With a file, it appends and syncs each body first. */
export function startBare(bodyBytes: number, file?: string): Promise<Target> {
  return startServer([process.execPath, ofOneCore, bare, String(bodyBytes), ...(file === undefined ? [] : [file])])
}

/** The real service, with flags for Node such as those of the profiler. */
export function startRollkey({ settings, checkout }: Home, flags: readonly string[] = []): Promise<Target> {
  return startServer([process.execPath, ofOneCore, ...flags, mainOf(checkout)], { ...settings, ROLLKEY_PORT: '0' })
}

export async function startService(home: Home, flags: readonly string[] = []): Promise<Service> {
  const target = await startRollkey(home, flags)
  type Setup = Service['owner'] & { readonly accessToken: string }
  const { accessToken, ...owner } = await administer<Setup>(home, 'setup', 'ada@bench.example', org)
  return { ...target, home, token: accessToken, owner }
}

/** Posts JSON. Throws for any answer but one of success. */
export async function post<Answer>(url: string, body: object, authorization?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

/** Calls the service as the user who is signed in. */
export function call<Answer>(
  { url, token }: Pick<Service, 'url' | 'token'>,
  where: string,
  body: object,
): Promise<Answer> {
  return post<Answer>(url + where, { orgSlug: org, ...body }, `Bearer ${token}`)
}

async function administer<Answer>({ settings, checkout }: Home, ...args: string[]): Promise<Answer> {
  const { stdout } = await promisify(execFile)(process.execPath, [mainOf(checkout), ...args], {
    env: environmentOf(settings),
  })
  return JSON.parse(stdout) as Answer
}

/** Evaluations that the running service has counted, by stage. */
export async function countedOf(home: Home): Promise<Map<string, number>> {
  type Usage = { usage: { stage: string | null; evaluations: number }[] }
  const { usage } = await administer<Usage>(home, 'usage')
  const counted = new Map<string, number>()
  for (const { stage, evaluations } of usage) counted.set(stage ?? '', (counted.get(stage ?? '') ?? 0) + evaluations)
  return counted
}
