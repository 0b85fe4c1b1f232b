/**
 * A program that holds one ruleset. It reads options of a client as JSON from stdin, and prints what the ruleset takes: `node --expose-gc`.
 */
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type ClientOptions, type Fetch } from '../packages/sdk/src/index.ts'

/** What a ruleset takes in a program. */
export interface HeldRuleset {
  /** Bytes of the answer. */
  readonly answerBytes: number
  /** Bytes of memory that it adds, after a garbage collection. */
  readonly heldBytes: number
  /** From the complete answer to the first decision, in ms. */
  readonly firstDecisionMs: number
}

let answerBytes = 0
let answeredAtMs = 0

/** Resolves with an answer once all of it is there. */
const fetch: Fetch = async (url, init) => {
  const answer = await globalThis.fetch(url, init)
  if (!url.endsWith('/ruleset') || answer.status !== 200) return answer
  const bytes = await answer.arrayBuffer()
  answerBytes = bytes.byteLength
  answeredAtMs = performance.now()
  return new Response(bytes, answer)
}

async function usedBytes(): Promise<number> {
  // What an answer leaves goes in turns.
  for (let count = 0; count < 3; count++) {
    globalThis.gc?.()
    await sleep(50)
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const { name, ...options } = JSON.parse(await text(process.stdin)) as ClientOptions & { readonly name: string }
const client = createClient({ ...options, fetch })

async function hold(names?: readonly string[]): Promise<() => unknown> {
  const local = await client.local({ reports: false, names })
  const decide = (): unknown => local.get(name, { seed: 'user-1' })
  decide()
  return decide
}

// A small one loads the code.
const held = [await hold([name])]
const before = await usedBytes()
held.push(await hold())
const firstDecisionMs = performance.now() - answeredAtMs
const heldBytes = (await usedBytes()) - before
process.stdout.write(JSON.stringify({ answerBytes, heldBytes, firstDecisionMs } satisfies HeldRuleset))
// Until here, both are in use.
for (const decide of held) decide()
client.close()
