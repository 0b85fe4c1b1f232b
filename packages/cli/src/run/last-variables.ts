/** The variables of the last start, in an encrypted file, with which a command starts while the service cannot be reached. */
import type { PullResult } from '@rollkey/sdk'
import { fileSnapshot, tokenFromEnvironment } from '@rollkey/sdk/node'
import type { Context } from '../frame/context.ts'
import { exit, failureOf, usage } from '../frame/cli-error.ts'
import { agoText } from '../frame/time.ts'

interface LastVariables extends PullResult {
  /** What they are of: address, organization, stage and roll. */
  readonly subject: string
  readonly atMs: number
}

interface Roll {
  readonly seed: string | undefined
  readonly key: string | undefined
  readonly context: unknown
}

type Pull = () => Promise<PullResult>

/**
 * Returns a function that pulls and keeps what it got in the file, or returns what the file has if the service cannot be reached.
 * Throws USAGE without a service token, since that encrypts the file.
 */
export function lastVariables(context: Context, file: string, roll: Roll): (pull: Pull) => Promise<PullResult> {
  const { settings, env, out } = context
  const secret = tokenFromEnvironment(env)
  if (secret === undefined)
    throw usage('--snapshot encrypts the file with a service token (expected ROLLKEY_TOKEN or ROLLKEY_TOKEN_FILE)')
  const snapshot = fileSnapshot({ file, secret })
  const { url, org, project, stage } = settings
  const subject = JSON.stringify([url.value, org?.value, project?.value, stage?.value, roll])

  async function keep(pulled: PullResult): Promise<void> {
    const last: LastVariables = { ...pulled, subject, atMs: Date.now() }
    try {
      await snapshot.save(JSON.stringify(last))
    } catch (error) {
      out.warn(`The snapshot ${file} could not be written: ${failureOf(error).what}`)
    }
  }

  return async (pull) => {
    try {
      const pulled = await pull()
      await keep(pulled)
      return pulled
    } catch (error) {
      const { status, code, what } = failureOf(error)
      const text = status === exit.unreachable ? await snapshot.load() : undefined
      const last = text === undefined ? undefined : (JSON.parse(text) as LastVariables)
      if (last?.subject !== subject) throw error
      out.warn(`${code}: ${what}. Starting with revision ${last.revision} of the snapshot, from ${agoText(last.atMs)}`)
      // Without a prototype, as a pull, because any name may be looked up.
      const variables = Object.assign(Object.create(null), last.variables) as PullResult['variables']
      return { revision: last.revision, variables }
    }
  }
}
