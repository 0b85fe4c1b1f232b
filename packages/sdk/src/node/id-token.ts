/** Finds the ID token with which the platform vouches for this process (docs/trusts.md). */
import { parseObject } from '../answer.ts'
import { RollkeyError } from '../errors.ts'
import type { Fetch, FetchReply } from '../transport.ts'
import { tokenIn } from './environment-token.ts'
import type { Environment } from './environment.ts'

const timeoutMs = 5_000

interface IdTokenOptions {
  readonly env: Environment
  /** The audience of a token that is requested: whom it is meant for. */
  readonly audience: string
  readonly fetch: Fetch | undefined
}

/**
 * Returns a function that returns an ID token: that of `ROLLKEY_ID_TOKEN`, the content of the file that `ROLLKEY_ID_TOKEN_FILE`
 * names, which is read for each exchange since platforms replace it, or a new one of GitHub, Forgejo or Gitea Actions. Throws
 * INVALID_SETTING if there is none.
 */
export function idTokenSource({ env, audience, fetch }: IdTokenOptions): () => string | Promise<string> {
  const token = tokenIn(env, 'ROLLKEY_ID_TOKEN')
  if (token !== undefined) return () => tokenIn(env, 'ROLLKEY_ID_TOKEN') ?? token
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: credential } = env
  const { ROLLKEY_ID_TOKEN_AUDIENCE = audience } = env
  if (url !== undefined && credential !== undefined)
    return () => requestToken({ url, credential, audience: ROLLKEY_ID_TOKEN_AUDIENCE, fetch })
  throw new RollkeyError(
    'INVALID_SETTING',
    'ROLLKEY_TRUST is set, but there is no ID token to exchange. In GitHub Actions, give the job the permission ' +
      'id-token: write. Elsewhere, set ROLLKEY_ID_TOKEN or ROLLKEY_ID_TOKEN_FILE.',
  )
}

/**
 * Requests an ID token from the runner of a job.
 * Source: https://docs.github.com/en/actions/reference/security/oidc#methods-for-requesting-the-oidc-token
 */
async function requestToken({
  url,
  credential,
  audience,
  fetch: customFetch,
}: {
  readonly url: string
  readonly credential: string
  readonly audience: string
  readonly fetch: Fetch | undefined
}): Promise<string> {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (!target) throw new RollkeyError('INVALID_SETTING', `ACTIONS_ID_TOKEN_REQUEST_URL is not an address. Unset it.`)
  target.searchParams.set('audience', audience)
  const init = {
    method: 'GET',
    headers: { authorization: `Bearer ${credential}`, accept: 'application/json' },
    body: null,
    redirect: 'manual' as const,
    signal: AbortSignal.timeout(timeoutMs),
  }
  let reply: FetchReply
  let text: string
  try {
    reply = await (customFetch ?? fetch)(target.href, init)
    text = await reply.text()
  } catch (cause) {
    throw new RollkeyError('UNREACHABLE', 'The runner of this job returned no ID token: it cannot be reached.', {
      cause,
    })
  }
  const token = parseObject(text)?.['value']
  if (reply.status === 200 && typeof token === 'string') return token
  throw new RollkeyError('UNREACHABLE', `The runner of this job returned ${reply.status} instead of an ID token.`)
}
