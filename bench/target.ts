/** Servers under test, as separate processes, and a client for the calls before and after the load. */
import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { newFolder, serverCore, startProgram } from './machine.ts'
import type { Home } from './stores.ts'

export interface Target {
  readonly port: number
  readonly pid: number
  readonly url: string
  /** Stops the server cleanly. Resolves when it is gone. */
  stop(): Promise<void>
}

/** A Rollkey service with a signed-in user. */
export interface Service extends Target {
  readonly home: Home
  readonly token: string
  /** Owner's account. The link sets a password and works once. */
  readonly owner: { readonly email: string; readonly passwordLink: string }
}

export const repository = path.resolve(import.meta.dirname, '..')
const bare = path.join(import.meta.dirname, 'bare.ts')
const floor = path.join(import.meta.dirname, 'floor.ts')
/** Flag that `npm start` uses on one core. The bench gives each server one core. */
const singleCoreFlag = '--single-threaded-gc'
const maxWaitMs = 60_000

function mainOf(checkout: string): string {
  return path.join(checkout, 'packages/server/src/main.ts')
}

export const org = 'demo'

/** Returns the environment without the settings of another service on this machine. */
function environmentOf(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLLKEY_'))
  return { ...Object.fromEntries(foreign), ...settings }
}

/** Returns the port of a server. Rollkey and the bare server print a line of JSON with their URL once they listen. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout as Readable })
    lines.on('line', (line) => {
      const { url } = (line.startsWith('{') ? JSON.parse(line) : {}) as { url?: string }
      if (url !== undefined) resolve(Number(new URL(url).port))
    })
    lines.on('close', () => reject(new Error('the server exited before it listened; see its error above')))
  })
}

/** Starts a program on the server core. Without `port`, the program reports it. */
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

/** Retries until the work succeeds. */
export async function eventually<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + maxWaitMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await sleep(1)
    }
  }
}

/** Retries until the answer is 200 and contains `wanted`. Returns the length of the answer. */
export async function answerOf(url: string, wanted = '', init?: RequestInit): Promise<number> {
  return eventually(async () => {
    const response = await fetch(url, init)
    const body = await response.text()
    if (response.status !== 200 || !body.includes(wanted))
      throw new Error(`unexpected answer of ${url}: ${response.status} ${body}`)
    return Buffer.byteLength(body)
  })
}

interface BareOptions {
  /** Whether it stringifies each answer. */
  readonly serializes?: boolean
  /** File to which it appends each body, and which it syncs, before it answers. */
  readonly file?: string
  /** Number of processes that share its port. */
  readonly workers?: number
  /** Flags of Node. */
  readonly flags?: readonly string[]
}

/** Starts the bare server, whose every answer has `bodyBytes`. */
export function startBare(
  bodyBytes: number,
  { serializes = false, file, workers = 1, flags = [] }: BareOptions = {},
): Promise<Target> {
  const switches = [...(serializes ? ['--serialize'] : []), `--workers=${workers}`]
  const args = [...switches, String(bodyBytes), ...(file === undefined ? [] : [file])]
  return startServer([process.execPath, singleCoreFlag, ...flags, bare, ...args])
}

/** What the floor does, step by step; each includes those before it. */
export const floorSteps = {
  answer: 'finds caller and variable, and writes the answer',
  journal: 'counts the event durably',
  open: 'opens the value',
} as const

/** Starts a server that does the least for Rollkey's promises (`floor.ts`). */
export function startFloor(step: keyof typeof floorSteps | 'sync'): Promise<Target> {
  return startServer([process.execPath, singleCoreFlag, floor, step, path.join(newFolder(), 'journal')])
}

/** Starts the real service, with Node flags such as those of the profiler. */
export function startRollkey({ settings, checkout }: Home, flags: readonly string[] = []): Promise<Target> {
  return startServer([process.execPath, singleCoreFlag, ...flags, mainOf(checkout)], { ...settings, ROLLKEY_PORT: '0' })
}

/** Forms in which the service starts, and their commands without the options of Node. */
const forms = {
  sources: (checkout: string) => [process.execPath, singleCoreFlag, mainOf(checkout)],
  'release build': (checkout: string) => [
    process.execPath,
    singleCoreFlag,
    path.join(checkout, 'packages/server/dist/bin/rollkey-server.js'),
  ],
  'single executable': (checkout: string) => [path.join(checkout, `dist/rollkey-server-linux-${process.arch}`)],
} as const
export type Form = keyof typeof forms

/** Returns the forms of the service that are built. */
export function builtForms(checkout: string): Form[] {
  return (Object.keys(forms) as Form[]).filter((form) => existsSync(forms[form](checkout).at(-1) ?? ''))
}

/** Starts the service in one of its forms. */
export function startForm({ settings, checkout }: Home, form: Form): Promise<Target> {
  const [program = '', ...args] = forms[form](checkout)
  return startServer([program, ...args], { ...settings, ROLLKEY_PORT: '0' })
}

export async function startService(home: Home, flags: readonly string[] = []): Promise<Service> {
  const target = await startRollkey(home, flags)
  type Setup = Service['owner'] & { readonly accessToken: string }
  const { accessToken, ...owner } = await administer<Setup>(home, 'setup', 'ada@bench.example', org)
  return { ...target, home, token: accessToken, owner }
}

/** Posts JSON. Throws unless the answer is a success. */
export async function post<Answer>(url: string, body: object, authorization?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`unexpected answer of ${url}: ${response.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

/** Calls the service as the signed-in user. */
export function call<Answer>(
  { url, token }: Pick<Service, 'url' | 'token'>,
  where: string,
  body: object,
): Promise<Answer> {
  return post<Answer>(url + where, { orgSlug: org, ...body }, `Bearer ${token}`)
}

/** Runs a command of the operator, and returns what it prints. */
export async function administer<Answer>({ settings, checkout }: Home, ...args: string[]): Promise<Answer> {
  const { stdout } = await promisify(execFile)(process.execPath, [mainOf(checkout), ...args], {
    env: environmentOf(settings),
  })
  return JSON.parse(stdout) as Answer
}

/** Returns the evaluations that the running service has counted, by stage. */
export async function countedOf(home: Home): Promise<Map<string, number>> {
  type Usage = { usage: { stage: string | null; evaluations: number }[] }
  const { usage } = await administer<Usage>(home, 'usage')
  const counted = new Map<string, number>()
  for (const { stage, evaluations } of usage) counted.set(stage ?? '', (counted.get(stage ?? '') ?? 0) + evaluations)
  return counted
}
