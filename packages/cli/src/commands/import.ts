import { RollkeyError, type Client } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import { importFrom } from '../imports/file.ts'
import { readers } from '../imports/index.ts'
import { writeAll } from '../imports/write.ts'

interface Options {
  readonly from?: string
  readonly dryRun?: true
  readonly yes?: true
}

/** What the import does to a name. A roll loses its second value and its chance. */
type Change = 'create' | 'replace' | 'replace-roll'

export const importCommand = command<Options>({
  name: 'import',
  args: '<FILE>',
  summary: 'Write the variables of a file to a stage',
  reach: 'stage',
  options: [
    ['--from <source>', `${Object.keys(readers).join(', ')}; without it, what the file looks like`],
    ['--dry-run', 'show the names and write nothing'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: [
    ['import .env', 'shows what is new and what is replaced, and asks'],
    ['import secrets.json --dry-run', 'of infisical export, doppler secrets or vault kv get, in JSON'],
    ['import - --stage prod --yes < .env', 'from stdin, in a script'],
  ],
  async run(context, [file = ''], { from, dryRun, yes }) {
    const { out, prompt, where } = context
    const { entries, notes } = await importFrom(context, file, from)
    const client = await context.stage()
    const existing = await kindsIn(client)
    const variables = entries.map(({ name }) => ({ name, change: changeOf(existing?.get(name)) }))
    for (const note of existing ? notes : [...notes, `The stage ${where} is new.`]) out.note(note)
    if (!out.isJson) {
      const rows = variables.map(({ name, change }) => [name, change])
      out.table(['name', 'change'], rows)
    }
    const count = `${entries.length} ${entries.length === 1 ? 'variable' : 'variables'}`
    if (dryRun) {
      if (out.isJson) out.json({ variables })
      out.note(`Nothing was written; ${count} would be, to ${where}.`)
      return
    }
    if (!yes) await prompt.confirm(`Write ${count} to ${where}?`, '--yes')
    const secrets = entries.map((entry) => ({ ...entry, kind: 'secret' as const }))
    const revision = await writeAll(client, secrets)
    if (out.isJson) out.json({ variables, revision })
    out.note(`Wrote ${count} to ${where} (revision ${revision}).`)
  },
})

/** Undefined if there is no such stage yet: the import makes it. */
async function kindsIn(client: Client): Promise<Map<string, string> | undefined> {
  try {
    const { variables } = await client.list()
    return new Map(variables.map(({ name, kind }) => [name, kind]))
  } catch (error) {
    if (error instanceof RollkeyError && error.code === 'STAGE_NOT_FOUND') return undefined
    throw error
  }
}

function changeOf(kind: string | undefined): Change {
  if (kind === undefined) return 'create'
  return kind === 'ab_roll' ? 'replace-roll' : 'replace'
}
