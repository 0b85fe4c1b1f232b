/** Prints a token of a stored session: `ask-token.ts URL ORG AHEAD_MS [dies-before|dies-after]`, around the first request. */
import { openCredentials } from '../../../src/node/credentials.ts'
import { sessionTokens } from '../../../src/node/session-tokens.ts'

const [, , url = '', org = '', aheadMs = '0', fate = ''] = process.argv

const mortalFetch: typeof fetch = async (input, init) => {
  if (fate === 'dies-before') process.kill(process.pid, 'SIGKILL')
  const response = await fetch(input, init)
  if (fate === 'dies-after') process.kill(process.pid, 'SIGKILL')
  return response
}

const clock = { now: () => Date.now() + Number(aheadMs) }
const tokens = sessionTokens({ url, org, credentials: openCredentials(), fetch: mortalFetch, clock })
process.stdout.write(await tokens.token())
