/**
 * A client that uses as much of the service as it can, in a separate process. It reads its job as JSON from stdin, attacks
 * until SIGTERM, and then writes the counts of its answers as JSON on stdout. It uses addresses that are not a
 * trusted proxy, so that the limits per IP apply to it.
 */
import { Agent, createServer, request } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface GreedyJob {
  readonly attack: string
  readonly port: number
  readonly orgSlug: string
  /** Attacker's service tokens: one reads the whole organization, the other one writes too. */
  readonly readToken: string
  readonly writeToken: string
  /** Session of the owner. */
  readonly ownerToken: string
}

/** Number of answers by status. `closed` counts connections that ended without one. */
export type GreedyReport = Record<string, number>

interface AttackRequest {
  readonly path: string
  readonly method?: 'GET' | 'POST'
  readonly token?: string
  readonly body?: string
  /** Last number of the local address. Different addresses are different clients to the service. */
  readonly from?: number
}

const ownAddress = 2
/** Network of the current attack, so that no attack meets the limits of another one. */
let network = 0
const agents = new Map<number, Agent>()
const counts: GreedyReport = {}

function count(what: string | number): void {
  counts[what] = (counts[what] ?? 0) + 1
}

function addressOf(from: number): string {
  return `127.0.${network}.${from}`
}

function agentOf(from: number): Agent {
  const agent = agents.get(from) ?? new Agent({ keepAlive: true, maxSockets: 1_000 })
  agents.set(from, agent)
  return agent
}

function send(
  job: GreedyJob,
  { path, method = 'POST', token, body = '', from = ownAddress }: AttackRequest,
): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        port: job.port,
        host: '127.0.0.1',
        localAddress: addressOf(from),
        agent: agentOf(from),
        method,
        path,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          // A page has an origin, a program has a token.
          ...(token === undefined ? { origin: `http://127.0.0.1:${job.port}` } : { authorization: `Bearer ${token}` }),
        },
      },
      (response) => {
        count(response.statusCode ?? 0)
        response.resume().on('close', resolve)
      },
    )
    outgoing.on('error', () => {
      count('closed')
      setTimeout(resolve, 10)
    })
    outgoing.end(body)
  })
}

/** Sends requests over this many connections, without a pause. */
function loop(job: GreedyJob, connections: number, requestOf: (turn: number) => AttackRequest): void {
  let turn = 0
  for (let index = 0; index < connections; index++) {
    void (async () => {
      for (;;) await send(job, requestOf(turn++))
    })()
  }
}

/** Keeps up to this many connections open, and calls `begin` with each one once it is open. */
function keepOpen(job: GreedyJob, connections: number, begin: (socket: Socket) => void): void {
  const open = (): void => {
    const socket = connect({ port: job.port, host: '127.0.0.1', localAddress: addressOf(ownAddress) })
    socket.on('connect', () => begin(socket))
    socket.on('error', () => {})
    socket.on('close', () => {
      count('closed')
      setTimeout(open, 100)
    })
  }
  void (async () => {
    for (let index = 0; index < connections; index++) {
      if (index % 50 === 49) await sleep(5)
      open()
    }
  })()
}

function countStatus(socket: Socket): void {
  socket.once('data', (data: Buffer) => count(data.toString('latin1', 9, 12)))
}

function headOf(path: string, length: number, more: readonly string[] = []): string {
  return [`POST ${path} HTTP/1.1`, 'host: x', `content-length: ${length}`, ...more, '', ''].join('\r\n')
}

export const largeName = 'LARGE'
export const largeValueBytes = 65_000
/** Maximum number of entries in a batch. */
const largestBatch = 255
const mebibyte = 1_048_576
const signInsPerSec = 40
const identityPaths = [
  'jwks',
  'get-session',
  'list-sessions',
  'organization/list',
  'passkey/list-user-passkeys',
  'token',
]

function stageOf({ orgSlug }: GreedyJob, stageSlug: string): object {
  return { orgSlug, projectSlug: 'greedy', stageSlug }
}

function batchOf(job: GreedyJob): string {
  const entries = Array.from({ length: largestBatch }, () => ({ name: largeName }))
  return JSON.stringify({ ...stageOf(job, 'large'), entries })
}

const attacks: Readonly<Record<string, (job: GreedyJob) => void>> = {
  // Says what the others have for the machine that they share with the attack, which the service cannot help.
  neighbor: (job) => {
    const bare = createServer((_, response) => response.writeHead(429).end('{}'))
    bare.listen(0, '127.0.0.1', () => {
      const { port } = bare.address() as AddressInfo
      loop({ ...job, port }, 8, () => ({ path: '/', method: 'GET' }))
    })
  },
  search: (job) => {
    const body = JSON.stringify({ orgSlug: job.orgSlug, query: `${'N'.repeat(200)}x` })
    loop(job, 4, () => ({ path: '/v1/env/search', token: job.readToken, body }))
  },
  batch: (job) => {
    const body = batchOf(job)
    loop(job, 4, () => ({ path: '/v1/env/evaluate-batch', token: job.readToken, body }))
  },
  unread: (job) => {
    const body = batchOf(job)
    keepOpen(job, 130, (socket) => {
      socket.write(headOf('/v1/env/evaluate-batch', body.length, [`authorization: Bearer ${job.readToken}`]) + body)
      socket.once('readable', () => count('answered, unread'))
      socket.pause()
    })
  },
  bodies: (job) =>
    keepOpen(job, 1_200, (socket) => {
      countStatus(socket)
      socket.resume()
      socket.write(headOf('/v1/cli/device/poll', mebibyte - 200))
      socket.write(' '.repeat(mebibyte - 300))
    }),
  identity: (job) =>
    loop(job, 8, (turn) => ({
      path: `/identity/${identityPaths[turn % identityPaths.length] ?? ''}`,
      method: 'GET',
    })),
  // Each request names a different account, because otherwise only the first few passwords would be hashed.
  passwords: (job) => {
    let turn = 0
    setInterval(() => {
      turn++
      const body = JSON.stringify({ email: `ada-${turn}@bench.example`, password: `wrong-${turn}-wrong` })
      void send(job, { path: '/identity/sign-in/email', body, from: ownAddress + (turn % 200) })
    }, 1_000 / signInsPerSec)
  },
  stage: (job) => {
    const entry = { name: 'V0', kind: 'secret', value: 'x' }
    const write = JSON.stringify({ ...stageOf(job, 'full'), mode: 'upsert', entries: [entry] })
    const pull = JSON.stringify(stageOf(job, 'full'))
    loop(job, 3, (turn) =>
      turn % 4 === 0
        ? { path: '/v1/env/write', token: job.writeToken, body: write }
        : { path: '/v1/env/pull', token: job.writeToken, body: pull },
    )
  },
  streams: (job) =>
    keepOpen(job, 200, (socket) => {
      countStatus(socket)
      socket.resume()
      const query = new URLSearchParams({ orgSlug: job.orgSlug, projectSlug: 'greedy' }).toString()
      socket.write(`GET /v1/events?${query} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${job.readToken}\r\n\r\n`)
    }),
  connections: (job) => keepOpen(job, 11_000, (socket) => socket.resume()),
  'device codes': (job) => loop(job, 8, () => ({ path: '/v1/cli/device/start', body: '{}' })),
  metrics: (job) => loop(job, 8, () => ({ path: '/metrics', method: 'GET' })),
  writes: (job) => {
    const entries = Array.from({ length: 100 }, (_, index) => ({
      name: `V${index}`,
      kind: 'secret',
      value: 'v'.repeat(1_000),
    }))
    const body = JSON.stringify({ ...stageOf(job, 'written'), mode: 'upsert', entries })
    loop(job, 24, () => ({ path: '/v1/env/write', token: job.writeToken, body }))
  },
}

const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** Reads of an organization with much of everything: path and body. */
const largeReads: Readonly<Record<string, readonly [string, object]>> = {
  'usage of all': ['/v1/usage/show', {}],
  'callers of all': ['/v1/usage/callers', { from: dayAgo(60), to: dayAgo(0) }],
  'attention of all': ['/v1/organization/attention', {}],
  'projects of all': ['/v1/projects/list', {}],
  'rolls of all': ['/v1/rolls/list', { limit: 1_000 }],
  'revisions of all': ['/v1/history/recent', {}],
  'audit of all': ['/v1/audit/list', {}],
  'search in all': ['/v1/env/search', { query: 'V' }],
}

export const attackNames = [...Object.keys(attacks), ...Object.keys(largeReads)]

/** Returns whether an attack reads a large organization. */
export function readsLarge(name: string): boolean {
  return name in largeReads
}

function attack(job: GreedyJob): void {
  const [path, body] = largeReads[job.attack] ?? []
  if (path === undefined) return attacks[job.attack]?.(job)
  loop(job, 8, () => ({ path, token: job.ownerToken, body: JSON.stringify({ orgSlug: job.orgSlug, ...body }) }))
}

if (import.meta.main) {
  const job = JSON.parse(await text(process.stdin)) as GreedyJob
  process.on('SIGTERM', () => {
    process.stdout.write(JSON.stringify(counts), () => process.exit(0))
  })
  network = 1 + attackNames.indexOf(job.attack)
  attack(job)
}
