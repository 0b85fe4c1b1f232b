/** What is asked of people first: to confirm in the browser that it is them. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Place } from '@rollkey/contract/rules'
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

/** Where the web application has what a command does. */
export interface Page {
  /** Below the address of the organization. */
  readonly path: string
  /** What a person does there, as an imperative. */
  readonly what: string
  /** The command that lists what the command changes. */
  readonly command: string
}

/** Returns the page of the access to a project and its stages. */
export function accessPage({ projectSlug }: Place, what: string): Page {
  const path = projectSlug === undefined ? '/members/access' : `/p/${projectSlug}/access`
  return { path, what, command: 'rollkey access list' }
}

/** Calls. Throws CONFIRMATION_REQUIRED with the address of the page if a command-line session cannot do this, and opens the page on a desktop. */
export async function orOnPage<T>(
  context: Context,
  client: Client,
  { path, what, command }: Page,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!needsConfirmation(error)) throw error
    const { orgSlug } = await client.session.show()
    const page = new URL(`/o/${orgSlug}${path}`, context.settings.url.value).href
    if (context.prompt.isPossible && hasDesktop(context)) await openBrowser(page)
    const { code, requestId } = error
    const message = `A command-line session cannot confirm that it is you, which this needs. ${what} in the web application at ${page}`
    throw new CliError(code, message, { status: exit.forbidden, requestId, command })
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
