import { text } from 'node:stream/consumers'
import { command } from '../frame/command.ts'
import { exit, usage } from '../frame/cli-error.ts'
import type { Cell } from '../frame/output.ts'
import { readText } from '../frame/trust-options.ts'

export const trustTest = command({
  name: 'trust test',
  args: '<ID> <FILE>',
  summary: 'Show what of a token a trust accepts, claim by claim; the token is not stored',
  target: 'organization',
  examples: [
    ['trust test tru_1a2b token.txt', 'status 6 if it is not accepted'],
    ['trust test tru_1a2b -', 'reads the token from stdin'],
  ],
  async run(context, [id = '', file = '']) {
    const { out, stdin, cwd } = context
    const token = (file === '-' ? await text(stdin) : readText(cwd, file)).trim()
    if (token === '') throw usage(`There is no token in ${file === '-' ? 'stdin' : file}`)
    const client = await context.service()
    const { requestId: _, ...result } = await client.manage.trusts.test(token, { id })
    const status = result.accepted ? exit.ok : exit.invalid
    if (out.isJson) {
      out.json(result)
      return status
    }
    const { signature, issuer, audience, times, proposedChange, claims } = result
    const rows: readonly Cell[][] = [
      row('signature', { expected: 'valid', actual: signature, matches: signature === 'valid' }),
      row('iss', issuer),
      row('aud', audience),
      row('exp', { expected: 'not over', actual: timeOf(times.expiresAtMs), matches: times.matches }),
      row('fork', { expected: 'no', actual: proposedChange.actual ? 'yes' : 'no', matches: proposedChange.matches }),
      ...claims.map((claim) => row(claim.name, claim)),
    ]
    out.table(['claim', 'matches', 'expected', 'actual'], rows)
    out.note(result.problem ?? 'The trust accepts this token.')
    return status
  },
})

interface Comparison {
  readonly expected: string
  readonly actual?: string | undefined
  readonly matches: boolean
}

function row(name: string, { expected, actual = '(none)', matches }: Comparison): Cell[] {
  return [name, matches ? { text: 'yes', style: 'green' } : { text: 'no', style: 'red' }, expected, actual]
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
