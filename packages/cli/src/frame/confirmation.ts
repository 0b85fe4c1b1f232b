/** Values of protected stages are for people who have confirmed, in the browser, that it is them. */
import { setTimeout as wait } from 'node:timers/promises'
import { RollkeyError, type Client } from '@rollkey/sdk'
import { hasDesktop, openBrowser } from './browser.ts'
import { exit, CliError } from './cli-error.ts'
import type { Context } from './context.ts'

const intervalMs = 2_000
const maxWaitMs = 10 * 60_000

/**
 * Calls. If a stage is protected, waits until the person has confirmed this session in the browser, and calls again. `reason`: why
 * that is necessary.
 */
export async function withConfirmation<T>(
  context: Context,
  client: Client,
  call: () => Promise<T>,
  reason = `The stage ${context.where} is protected.`,
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!needsConfirmation(error)) throw error
    await showConfirmation(context, client, { refusal: error, reason })
  }
  const endsAtMs = Date.now() + maxWaitMs
  for (;;) {
    await wait(intervalMs)
    try {
      return await call()
    } catch (error) {
      if (!needsConfirmation(error) || Date.now() > endsAtMs) throw error
    }
  }
}

function needsConfirmation(error: unknown): error is RollkeyError {
  return error instanceof RollkeyError && error.code === 'CONFIRMATION_REQUIRED'
}

/** Shows where to confirm. Throws CONFIRMATION_REQUIRED if no one reads that. */
async function showConfirmation(
  context: Context,
  client: Client,
  { refusal, reason }: { refusal: RollkeyError; reason: string },
): Promise<void> {
  const { out, prompt, settings } = context
  const current = (await client.manage.sessions.list()).sessions.find(({ isCurrent }) => isCurrent)
  if (!current) throw refusal
  const { orgSlug } = await client.session.show()
  const page = new URL(`/o/${orgSlug}/confirm/${current.id}`, settings.url.value).href
  if (!prompt.isPossible || out.isJson) {
    const what = `${reason} Confirm at ${page} that it is you, then run the command again. In CI, use a service token`
    const { code, requestId } = refusal
    throw new CliError(code, what, { status: exit.forbidden, requestId, command: 'rollkey token create --help' })
  }
  out.warn(`${reason} Confirm in the browser that it is you; this holds for 15 minutes.\n`)
  out.warn(`Open   ${page}\n`)
  out.warn(`Waiting up to ${maxWaitMs / 60_000} minutes for the confirmation …`)
  if (hasDesktop(context)) await openBrowser(page)
}
