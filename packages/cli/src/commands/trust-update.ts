import type { Request } from '@rollkey/sdk'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { claimsOf, machineRoleOf, roles, readText, secondsOf } from '../frame/trust-options.ts'

interface Options {
  readonly name?: string
  readonly issuer?: string
  readonly audience?: string
  readonly claim?: readonly string[]
  readonly keys?: string | false
  readonly role?: string
  readonly history?: boolean
  readonly minutes?: string
  readonly forks?: boolean
}

type Changes = Omit<Request<'trustUpdate'>, 'orgSlug' | 'id'>

export const trustUpdate = command<Options>({
  name: 'trust update',
  args: '<ID>',
  summary: 'Change what a trust accepts or allows; the tokens that it gave stop working at once',
  target: 'organization',
  options: [
    ['--name <name>', 'new name'],
    ['--claim <name=value...>', 'all claims that a token must have from now on; one value may end with *'],
    ['--role <role>', 'viewer, reader or developer', roles],
    ['--minutes <minutes>', 'lifetime of an access token, 1 to 60'],
    ['--history', 'allow reading the history and, with the role developer, restoring'],
    ['--no-history', 'no longer allow that'],
    ['--forks', 'also for runs of pull requests, which anyone may cause'],
    ['--no-forks', 'no longer for these'],
    ['--issuer <url>', 'another issuer of the tokens'],
    ['--audience <text>', 'whom tokens must be meant for'],
    ['--keys <file>', 'public keys of the issuer (JWKS), where the service cannot fetch them'],
    ['--no-keys', 'let the service fetch the keys of the issuer'],
  ],
  examples: [
    ['trust update tru_1a2b --claim repository_id=424242 ref=refs/heads/main', 'what is not named stays as it is'],
    ['trust update tru_1a2b --role viewer --minutes 5', 'rollkey trust list shows the ids'],
  ],
  async run(context, [id = ''], options) {
    const { out } = context
    const changes = changesOf(options, context.cwd)
    const fields = Object.keys(changes)
    if (fields.length === 0) throw usage('There is nothing to change (expected at least one option)')
    const client = await context.service()
    const reason = `Tokens of ${id} can read a protected stage.`
    const update = () => client.manage.trusts.update(id, changes)
    const { requestId: _, ...trust } = await withConfirmation(context, client, update, reason)
    if (out.isJson) return out.json(trust)
    out.note(`Changed ${fields.join(', ')} of ${id}. Jobs get new tokens by what it says now.`)
  },
})

function changesOf(
  { name, issuer, audience, claim, keys, role, history, minutes, forks }: Options,
  cwd: string,
): Changes {
  return {
    ...(name !== undefined && { name }),
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    ...(claim !== undefined && { claims: claimsOf(claim) }),
    ...(role !== undefined && { role: machineRoleOf(role) }),
    ...(history !== undefined && { history }),
    ...(minutes !== undefined && { lifetimeSeconds: secondsOf(minutes) }),
    ...(forks !== undefined && { forks }),
    ...(keys !== undefined && { jwks: keys === false ? null : readText(cwd, keys) }),
  }
}
