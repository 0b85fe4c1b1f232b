import type { Answer, Client } from '@rollkey/sdk'
import { readDocument } from '../declare/file.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { CliError, exit } from '../frame/cli-error.ts'
import type { Cell } from '../frame/output.ts'
import { aspectText, countText } from '../frame/words.ts'
import { projectOf } from './declare.ts'

interface Options {
  readonly all?: true
  readonly strict?: true
  readonly file?: string
  readonly format?: (typeof formats)[number]
}

interface CheckedStage extends Omit<Answer<'declarationCheck'>, 'requestId' | 'revision'> {
  readonly stage: string
}

const formats = ['table', 'github'] as const

export const check = command<Options>({
  name: 'check',
  summary:
    'Compare stages with the declarations of their project, without showing values; exits with 6 if they contradict',
  target: 'stage',
  options: [
    ['--all', 'all stages of the project that are not archived'],
    ['--strict', 'also fail for variables that the project does not declare'],
    ['--file <file>', 'compare with this JSON Schema, which need not be pushed yet'],
    ['--format <format>', 'table, or github for annotations of a workflow', formats],
  ],
  examples: [
    ['check --stage prod', 'what prod lacks, or has otherwise than declared'],
    ['check --all --file rollkey.declarations.json', 'in CI, before a change of the file is merged'],
    ['check --all --format github', 'as annotations in GitHub Actions'],
  ],
  async run(context, _, { all, strict, file, format = 'table' }) {
    const document = file === undefined ? undefined : readDocument(context, file)
    const client = all ? await projectOf(context) : await context.stage()
    const slugs = all ? await stagesOf(client, context) : [context.settings.stage?.value ?? '']
    const stages = await Promise.all(
      slugs.map(async (stage): Promise<CheckedStage> => {
        const {
          requestId: _id,
          revision: _revision,
          ...answer
        } = await client.at({ stage }).manage.declarations.check({ document })
        return { stage, ...answer }
      }),
    )
    if (!context.out.isJson && stages.every(({ declared }) => declared === 0)) throw undeclared(context, file)
    if (context.out.isJson) context.out.json({ stages })
    else if (format === 'github') annotate(context, stages, file)
    else print(context, stages)
    const fails = ({ problems }: CheckedStage): boolean =>
      problems.some(({ problem }) => strict || contradicts(problem))
    return stages.some(fails) ? exit.invalid : exit.ok
  },
})

/** An error in place of each variable as undeclared. It fails, so that no job passes because it compares nothing. */
function undeclared({ settings }: Context, file: string | undefined): CliError {
  const what =
    file === undefined ? `The project ${settings.project?.value} declares nothing yet` : `${file} declares nothing`
  return new CliError('NOT_FOUND', `${what}, so there is nothing to compare with: declare what its programs need`, {
    status: exit.notFound,
    command: 'rollkey declare --help',
  })
}

async function stagesOf(client: Client, { settings }: Context): Promise<string[]> {
  const { projects } = await client.projects()
  const project = projects.find(({ projectSlug }) => projectSlug === settings.project?.value)
  return (project?.stages ?? []).filter(({ archivedAtMs }) => archivedAtMs === undefined).map((each) => each.stageSlug)
}

/** Returns whether a stage is not as declared. A variable that the project does not declare is allowed. */
function contradicts(problem: CheckedStage['problems'][number]['problem']): boolean {
  return problem !== 'undeclared'
}

const styles = {
  missing: 'red',
  type: 'red',
  malformed: 'red',
  exposure: 'yellow',
  overdue: 'yellow',
  undeclared: 'yellow',
} as const

function print({ out }: Context, stages: readonly CheckedStage[]): void {
  const rows = stages.flatMap(({ stage, problems }) =>
    problems.map(({ name, problem, expected }): Cell[] => [
      stage,
      name,
      { text: aspectText(problem, out), style: styles[problem] },
      expected,
    ]),
  )
  if (rows.length > 0) out.table(['stage', 'name', 'problem', 'expected'], rows)
  noteUnchecked(out, stages)
  const problems = stages.flatMap((stage) => stage.problems.map(({ problem }) => ({ stage, problem })))
  const bad = problems.filter(({ problem }) => contradicts(problem))
  const undeclaredCount = problems.length - bad.length
  if (bad.length === 0) out.note(`${namesOf(stages)}: as declared.`)
  else out.note(`${countText(bad.length, 'problem')} in ${namesOf([...new Set(bad.map(({ stage }) => stage))])}.`)
  if (undeclaredCount > 0)
    out.note(`${countText(undeclaredCount, 'undeclared variable')}, which is allowed. With --strict, it fails.`)
}

function noteUnchecked(out: Context['out'], stages: readonly CheckedStage[]): void {
  const unchecked = stages.filter(({ valuesChecked }) => !valuesChecked)
  if (unchecked.length > 0)
    out.note(`Values were not compared in ${namesOf(unchecked)}, as you may not read them there.`)
}

function namesOf(stages: readonly CheckedStage[]): string {
  return stages.map(({ stage }) => stage).join(', ')
}

/** Writes commands of GitHub Actions, which show each problem at the file. */
function annotate({ out }: Context, stages: readonly CheckedStage[], file: string | undefined): void {
  for (const { stage, problems } of stages) {
    for (const { name, problem, expected } of problems) {
      const level = contradicts(problem) ? 'error' : 'warning'
      const at = file === undefined ? '' : `file=${property(file)},`
      out.line(`::${level} ${at}title=${property(`${name} in ${stage}`)}::${data(`${name} ${expected} (${problem})`)}`)
    }
  }
  noteUnchecked(out, stages)
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
