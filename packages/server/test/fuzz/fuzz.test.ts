/**
 * Sends valid, broken and hostile requests to every endpoint. Each answer conforms to the contract, none is a 5xx, and other
 * clients are not affected. ROLLKEY_TEST_SEED=… selects another sequence of requests.
 * `npm test` sends two thousand, `npm run test:ci` fifty thousand, `npm run test:fuzz` a million.
 */
import { readFileSync } from 'node:fs'
import { endpoints, type EndpointName } from '@rollkey/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Connection } from './connection.ts'
import { bytesOf, trickedBytesOf } from './framing.ts'
import { asText, mutateBody, mutateHeaders, mutateInput, mutateTarget, type Sent } from './mutations.ts'
import { pause } from '../../testkit/pause.ts'
import { Random, runSeed } from '../../testkit/random.ts'
import { otherSecret, Scene } from './scene.ts'
import { validInput } from './valid.ts'
import { wrongIn, wrongInAny } from './verdict.ts'

const requests = Number(process.env['ROLLKEY_FUZZ_REQUESTS'] ?? 2_000)
const atOnce = 24
const renewedEvery = 1_000
const logEvery = 50_000

const names = Object.keys(endpoints) as EndpointName[]
let scene: Scene
let connections: readonly Connection[]

beforeAll(async () => {
  scene = await Scene.start()
  const port = Number(new URL(scene.server.url).port)
  connections = Array.from({ length: atOnce }, () => new Connection(port))
})
afterAll(async () => {
  for (const connection of connections) connection.close()
  await scene.close()
})

/** Endpoints that seldom find what they need: a roll, or several variables of a stage. */
const particular: ReadonlySet<EndpointName> = new Set(['update', 'pins', 'explain', 'copy', 'keyCreate'])

function validRequest(name: EndpointName, random: Random): Sent {
  const { method, path } = endpoints[name]
  const token = random.once(40) ? 'svc_at_unknown' : random.pick(scene.credentials)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const found = { name: ['ROLL', 'ROLL', 'SECRET'], 'names[]': ['ROLL', 'SECRET'] }
  const there = { projectSlug: ['shop'], stageSlug: ['prod'], ...found }
  const ofChange = endpoints[name].path.startsWith('/v1/changes/') ? { ...there, ...scene.changePools } : {}
  const pools = { ...scene.pools, ...(particular.has(name) && there), ...ofChange }
  const input = validInput(name, random, pools)
  const said = random.once(2) ? input : mutateInput(input, random)
  if (method === 'POST') return { method, path, headers, body: Buffer.from(JSON.stringify(said)) }
  const query = new URLSearchParams(
    Object.entries(said).map(([field, value]) => [field, asText(value)] as [string, string]),
  )
  return { method, path: `${path}?${query.toString()}`, headers, body: undefined }
}

function requestOf(name: EndpointName, random: Random): Sent {
  const sent = validRequest(name, random)
  if (sent.body && random.once(6)) sent.body = mutateBody(sent.body, random)
  if (random.once(6)) mutateHeaders(sent, random)
  if (random.once(20)) mutateTarget(sent, random)
  return sent
}

/** Sends a request and checks the answer. Returns its status; undefined if no answer is required. Throws an error that says what is wrong. */
async function play(name: EndpointName, random: Random, connection: Connection): Promise<number | undefined> {
  const sent = requestOf(name, random)
  const isTricked = random.once(40)
  const bytes = isTricked ? trickedBytesOf(sent, random) : bytesOf(sent)
  const answer = await connection.send(bytes, { isHead: sent.method === 'HEAD', isLast: isTricked })
  if (!answer && isTricked) return undefined
  const wrong = !answer ? 'no answer' : isTricked ? wrongInAny(answer) : wrongIn(name, sent, answer)
  if (wrong !== undefined) {
    const shown = bytes.subarray(0, 2_000).toString('latin1')
    throw new Error(`a request to ${name} got ${wrong}: ${JSON.stringify(answer)} for ${JSON.stringify(shown)}`)
  }
  return isTricked ? undefined : answer?.status
}

/** Evaluates for another client, at least ten times, until the requests are over. Throws if an answer is wrong. */
async function undisturbed(isOver: () => boolean): Promise<void> {
  const { at, token } = scene.other
  for (let evaluations = 0; evaluations < 10 || !isOver(); evaluations++) {
    const { status, body } = await scene.client.call('evaluate', { ...at, name: 'SECRET' }, { token })
    expect([status, body.value]).toEqual([200, otherSecret])
    await pause(20)
  }
}

/** Returns the resident memory of the service. */
function residentMiB(): number {
  const status = readFileSync(`/proc/${scene.server.child.pid}/status`, 'latin1')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024)
}

/** Plays all requests, several at once. Returns the endpoints that answered 200. */
async function fuzz(): Promise<Set<EndpointName>> {
  const answered = new Set<EndpointName>()
  for (let done = 0; done < requests; done += renewedEvery) {
    if (done % logEvery === 0) process.stderr.write(`${done} of ${requests}, ${residentMiB()} MiB\n`)
    await scene.renew()
    // The service closes a connection that was idle for half a minute, which this may take on a slow machine.
    for (const connection of connections) connection.close()
    let next = done
    const client = async (connection: Connection): Promise<void> => {
      while (next < done + renewedEvery) {
        const random = new Random(next++)
        const name = random.pick(names)
        if ((await play(name, random, connection)) === 200) answered.add(name)
      }
    }
    await Promise.all(connections.map(client))
  }
  return answered
}

test(
  `${requests} requests of seed ${runSeed}: no answer is a 5xx, each conforms to the contract, and other clients are not affected`,
  { timeout: Math.max(600_000, requests * 60) },
  async () => {
    let isOver = false
    const ending = fuzz().finally(() => (isOver = true))
    const [answered] = await Promise.all([ending, undisturbed(() => isOver)])
    expect(scene.server.output()).not.toContain('"level":"error"')
    // Nearly every endpoint also succeeded, so the requests were not all refused. Only a browser gets a code of the provider, and
    // the callers have no fresh confirmation. Of few requests, an endpoint gets too few for each to succeed once: of 2,000, some 30 of 94
    // endpoints do not, with a standard deviation of at most 5. Twice as many happen less than once in 10^9 seeds.
    const refused = names.filter((name) => !answered.has(name) && !('confirmation' in endpoints[name]))
    expect(refused.length, refused.join(', ')).toBeLessThan(names.length / (requests < 10_000 ? 3 / 2 : 5))
  },
)
