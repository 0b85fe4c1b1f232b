import { problemsOfStage } from '@rollkey/contract/rules'
import type { Client } from '@rollkey/sdk'
import type { Variables } from '../formats/refuse.ts'
import { CliError, exit } from '../frame/cli-error.ts'
import type { Context } from '../frame/context.ts'

/** Throws CliError, which names variables and no value, unless the values of a start are what the project declares. */
export async function assertAsDeclared(
  { settings }: Pick<Context, 'settings'>,
  client: Client,
  values: Variables,
): Promise<void> {
  const [{ declarations }, { projects }] = await Promise.all([client.manage.declarations.list(), client.projects()])
  const stageSlug = settings.stage?.value ?? ''
  const project = projects.find(({ projectSlug }) => projectSlug === settings.project?.value)
  const isProduction = project?.stages.find((stage) => stage.stageSlug === stageSlug)?.isProduction === true
  const variables = Object.keys(values).map((name) => ({ name }))
  const problems = problemsOfStage(declarations, { stageSlug, isProduction }, variables, ({ name }) => [
    values[name] ?? '',
  ]).filter(({ problem }) => problem === 'missing' || problem === 'malformed')
  if (problems.length === 0) return
  const list = problems.map(({ name, expected }) => `${name} ${expected}`).join('; ')
  throw new CliError('NOT_AS_DECLARED', `the command was not started: ${list}`, {
    status: exit.invalid,
    command: `rollkey check --stage ${stageSlug}`,
  })
}
