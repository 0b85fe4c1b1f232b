/** The sign-in page of a test's OpenID provider. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Provider } from 'oidc-provider'

/** People who can sign in, by user id. */
interface People {
  has(userId: string): boolean
}

function signInPage(trouble: string): string {
  return `<!doctype html>
<html lang="en">
<title>Test provider</title>
<main>
<h1>Test provider</h1>
<p role="alert">${trouble}</p>
<form method="post">
<label>User <input name="user" autocomplete="off"></label>
<button>Sign in</button>
</form>
</main>
</html>`
}

/** Serves the sign-in page. It grants everything to a person who is signed in, without further questions. */
export async function interact(
  oidc: Provider,
  people: People,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { prompt, params, session } = await oidc.interactionDetails(request, response)
    const isPosted = request.method === 'POST'
    const form = new URLSearchParams(isPosted ? await text(request) : '')
    const accountId = prompt.name === 'login' ? (form.get('user') ?? '') : (session?.accountId ?? '')
    if (!people.has(accountId)) {
      response.writeHead(isPosted ? 422 : 200, { 'content-type': 'text/html', 'cache-control': 'no-store' })
      response.end(signInPage(isPosted ? 'There is no such user.' : ''))
      return
    }
    const grant = new oidc.Grant({ accountId, clientId: String(params['client_id']) })
    grant.addOIDCScope(String(params['scope']))
    const consent = { grantId: await grant.save() }
    await oidc.interactionFinished(request, response, { login: { accountId }, consent })
  } catch (error) {
    // For example, an address that was opened without its cookie.
    response.writeHead(400, { 'content-type': 'text/plain' }).end(String(error))
  }
}
