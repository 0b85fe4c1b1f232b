/**
 * Requests to every endpoint, valid ones and what is made of them by mistake or on purpose: each is answered as the
 * contract says, none with a 5xx, and nobody else notices. ROLLKEY_FUZZ_SEED=… runs another course of them,
 * `npm run test:fuzz` a million.
 */
import { Agent, request as send, type IncomingHttpHeaders } from 'node:http'
import { endpoints, errors, errorsOf, type EndpointName, type ErrorCode } from '@rollkey/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asText, mutateBody, mutateHeaders, mutateInput, mutateTarget, type Sent } from './mutations.ts'
import { Random } from './random.ts'
import { otherSecret, Scene } from './scene.ts'
import { validInput } from './valid.ts'

const seed = Number(process.env['ROLLKEY_FUZZ_SEED'] ?? 1)
const requests = Number(process.env['ROLLKEY_FUZZ_REQUESTS'] ?? 10_000)
const atOnce = 24
const renewedEvery = 500

const names = Object.keys(endpoints) as EndpointName[]
const agent = new Agent({ keepAlive: true, maxSockets: atOnce + 1 })
let scene: Scene

beforeAll(async () => {
  scene = await Scene.start()
})
afterAll(async () => {
  agent.destroy()
  await scene.close()
})

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The answer, or the first of a stream. Undefined where Node's client refuses to send such a thing. */
function answerTo({ method, path, headers, body }: Sent): Promise<Answered | undefined> {
  const { hostname, port } = new URL(scene.world.app.url)
  return new Promise((resolve, reject) => {
    let outgoing
    try {
      const length = body && { 'content-length': body.length }
      outgoing = send({ agent, hostname, port, method, path, headers: { ...length, ...headers } })
    } catch {
      resolve(undefined)
      return
    }
    outgoing.on('response', (response) => {
      const { statusCode: status = 0, headers: answered } = response
      let text = ''
      const end = (): void => resolve({ status, headers: answered, text })
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (answered['content-type']?.startsWith('text/event-stream')) {
          end()
          response.destroy()
        }
      })
      response.on('end', end)
      response.on('error', reject)
    })
    outgoing.on('upgrade', (_, socket) => socket.destroy())
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function validRequest(name: EndpointName, random: Random): Sent {
  const { method, path } = endpoints[name]
  const token = random.once(40) ? 'svc_at_unknown' : random.pick(scene.credentials)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const input = validInput(name, random, scene.pools)
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

function shown(sent: Sent): string {
  return JSON.stringify({ ...sent, body: sent.body?.subarray(0, 2_000).toString() }, null, 2)
}

/** What an answer does that it may not, or undefined. */
function wrongIn(name: EndpointName, { method, path }: Sent, { status, headers, text }: Answered): string | undefined {
  if (status >= 500) return 'a failure of the service'
  if (text.includes(otherSecret)) return 'a value of another organization'
  if (status === 204 || status === 304 || method === 'HEAD') return text === '' ? undefined : 'a body'
  if (headers['content-type']?.startsWith('text/event-stream')) return undefined
  const endpoint = endpoints[name]
  const isElsewhere = method !== endpoint.method || path.split('?')[0] !== endpoint.path
  // The web application answers what is no endpoint, to whoever asks for a page.
  if (isElsewhere && headers['content-type']?.startsWith('text/html')) return undefined
  const { requestId, error, ...rest } = JSON.parse(text) as { requestId?: string; error?: Record<string, string> }
  if (headers['x-request-id'] !== (error ?? { requestId })['requestId']) return 'another request id'
  if (!error) return isElsewhere || endpoint.response.safeParse(rest).success ? undefined : 'another shape'
  const code = error['code'] as ErrorCode
  if (errors[code]?.status !== status) return 'a status that is not of the code'
  const known: readonly ErrorCode[] = [...errorsOf(endpoint), 'NOT_FOUND', 'METHOD_NOT_ALLOWED']
  return isElsewhere || known.includes(code) ? undefined : 'a code that the endpoint does not have'
}

async function undisturbed(until: () => boolean): Promise<number> {
  const { at, token } = scene.other
  for (let asked = 0; ; asked++) {
    if (until()) return asked
    const { status, body } = await scene.world.client.call('evaluate', { ...at, name: 'SECRET' }, { token })
    expect([status, body.value]).toEqual([200, otherSecret])
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test(
  `${requests} requests of seed ${seed}: none is a 5xx, each answer is of the contract, and nobody else notices`,
  { timeout: requests * 5 },
  async () => {
    const answered = new Map<EndpointName, number>()
    const one = async (index: number): Promise<void> => {
      const random = new Random(seed * 1_000_003 + index)
      const name = random.pick(names)
      const sent = requestOf(name, random)
      const answer = await answerTo(sent).catch((error: unknown) => {
        throw new Error(`request ${index} got no answer: ${shown(sent)}`, { cause: error })
      })
      const wrong = answer && wrongIn(name, sent, answer)
      if (wrong !== undefined) {
        throw new Error(`request ${index} got ${wrong}: ${JSON.stringify(answer)} for ${shown(sent)}`)
      }
      if (answer?.status === 200) answered.set(name, (answered.get(name) ?? 0) + 1)
    }
    let isOver = false
    const other = undisturbed(() => isOver)
    try {
      for (let done = 0; done < requests; done += renewedEvery) {
        await scene.renew()
        let next = done
        const client = async (): Promise<void> => {
          while (next < done + renewedEvery) await one(next++)
        }
        await Promise.all(Array.from({ length: atOnce }, client))
        if (done > 0 && done % 50_000 === 0) process.stderr.write(`${done} of ${requests}\n`)
      }
    } finally {
      isOver = true
    }
    expect(await other).toBeGreaterThan(10)
    // Nearly everything was also done, so the refusals are of the rest; a code of the provider comes by a browser alone.
    expect(names.length - answered.size).toBeLessThan(4)
  },
)
