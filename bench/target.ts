/** The servers under test, as processes of their own, and a client for what comes before and after the load. */
import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { serverCore, startNode } from './machine.ts'

export interface Target {
  readonly url: string
  readonly pid: number
  /** Stops it in order; resolves when it is gone. */
  stop(): Promise<void>
}

export const repository = path.resolve(import.meta.dirname, '..')
const main = path.join(repository, 'packages/server/src/main.ts')
const bare = path.join(import.meta.dirname, 'bare.ts')

/** The environment without settings of a service that somebody runs here. */
function environmentOf(settings: Record<string, string>): NodeJS.ProcessEnv {
  const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLLKEY_'))
  return { ...Object.fromEntries(foreign), ...settings }
}

/** Both servers print a line of JSON with their address once they listen. */
function urlOf(child: ChildProcess, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout as Readable })
    lines.on('line', (line) => {
      const { url } = (line.startsWith('{') ? JSON.parse(line) : {}) as { url?: string }
      if (url !== undefined) resolve(url)
    })
    lines.on('close', () => reject(new Error(`${what} ended before it served`)))
  })
}

async function start(what: string, nodeArguments: string[], settings: Record<string, string> = {}): Promise<Target> {
  const child = startNode(serverCore, nodeArguments, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environmentOf(settings),
  })
  const exited = once(child, 'exit')
  const url = await urlOf(child, what)
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** The bare server; every answer has `bodyBytes`. */
export function startBare(bodyBytes: number): Promise<Target> {
  return start('the bare server', [bare, String(bodyBytes)])
}

/** The settings that name a store: a data directory, and with PostgreSQL a database. */
export type Home = Readonly<Record<`ROLLKEY_${string}`, string>>

/** The real service, with flags for Node such as those of the profiler. */
export function startRollkey(home: Home, flags: readonly string[] = []): Promise<Target> {
  return start('the service', [...flags, main], { ...home, ROLLKEY_PORT: '0' })
}

/** Posts JSON. Throws for any answer but 200. */
export async function post<Answer>(url: string, body: object, token?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

async function administer<Answer>(home: Home, ...args: string[]): Promise<Answer> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], {
    env: environmentOf(home),
  })
  return JSON.parse(stdout) as Answer
}

/** An access token of a new user in a new organization. */
export async function login(home: Home, user: string, org: string): Promise<string> {
  return (await administer<{ accessToken: string }>(home, 'setup', `${user}@bench.example`, org)).accessToken
}

/** Evaluations that the running service has counted for a stage. */
export async function countedOf(home: Home, stageSlug: string): Promise<number> {
  type Usage = { usage: { stage: string | null; evaluations: number }[] }
  const { usage } = await administer<Usage>(home, 'usage')
  return usage.filter(({ stage }) => stage === stageSlug).reduce((sum, { evaluations }) => sum + evaluations, 0)
}
