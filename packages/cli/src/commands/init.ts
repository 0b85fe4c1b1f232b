import { existsSync } from 'node:fs'
import path from 'node:path'
import { writeProjectFile } from '@rollkey/sdk/node'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { exit, CliError, usage } from '../frame/cli-error.ts'

interface Options {
  readonly force?: true
}

const anotherOne = 'another one …'

/** Asks for an existing slug or a new one. */
async function choose(context: Context, what: 'project' | 'stage', existing: readonly string[]): Promise<string> {
  const given = context.flags[what]
  if (given !== undefined) return given
  const instead = `--${what} is required without a terminal`
  if (!context.prompt.isPossible) throw usage(instead)
  const chosen =
    existing.length === 0
      ? anotherOne
      : await context.prompt.select(`Which ${what}?`, [...existing, anotherOne], instead)
  return chosen === anotherOne ? context.prompt.text(`Name of the new ${what}`, instead) : chosen
}

export const init = command<Options>({
  name: 'init',
  summary: 'Write rollkey.json with the project and stage of this folder',
  target: 'stage',
  options: [['--force', 'replace an existing file']],
  examples: [
    ['init', 'asks for the project and the stage'],
    ['init --project shop --stage dev', 'in a script'],
  ],
  async run(context, _, { force }) {
    const { out, settings, cwd } = context
    const file = path.join(cwd, 'rollkey.json')
    if (existsSync(file) && !force) {
      throw new CliError('FILE_EXISTS', 'rollkey.json exists already', {
        status: exit.invalid,
        command: 'rollkey init --force',
      })
    }
    const client = await context.service()
    const { orgSlug } = await client.whoami()
    const { projects } = await client.at({ org: orgSlug }).projects()
    const project = await choose(
      context,
      'project',
      projects.map(({ projectSlug }) => projectSlug),
    )
    const stages = projects.find(({ projectSlug }) => projectSlug === project)?.stages ?? []
    const stage = await choose(
      context,
      'stage',
      stages.map(({ stageSlug }) => stageSlug),
    )
    const content = { url: settings.url.value, org: orgSlug, project, stage }
    await writeProjectFile(cwd, content)
    if (out.isJson) out.json({ file, ...content })
    else out.note(`Wrote rollkey.json. Commit it: it contains no secret.`)
    if (!stages.some(({ stageSlug }) => stageSlug === stage)) {
      out.note(`${project}/${stage} does not exist yet. Create it with rollkey set NAME --create.`)
    } else if (!out.isJson) {
      out.note('Next: rollkey list shows its variables, and rollkey run -- COMMAND gives them to a program.')
    }
  },
})
