import { command } from '../frame/command.ts'

const projectList = command({
  name: 'project list',
  summary: 'List the projects of the organization and their stages',
  target: 'organization',
  examples: [
    ['project list', 'the stages of each project, in their order'],
    ['project list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { projects } = await (await context.service()).projects()
    if (out.isJson) return out.json({ projects })
    const rows = projects.map(({ projectSlug, name, variables, stages }) => [
      projectSlug,
      name,
      String(variables),
      stages.map(({ stageSlug }) => stageSlug).join(', '),
    ])
    out.table(['project', 'name', 'variables', 'stages'], rows)
    if (rows.length === 0) out.note('There are no projects. Create one with rollkey project create.')
  },
})

interface CreateOptions {
  readonly name?: string
  readonly stages?: readonly string[]
}

const projectCreate = command<CreateOptions>({
  name: 'project create',
  args: '<SLUG>',
  summary: 'Create a project, with or without stages',
  target: 'organization',
  options: [
    ['--name <text>', 'name for people (default: the slug)'],
    ['--stages <stages...>', 'stages to create with it, in their order (default: none)'],
  ],
  examples: [
    ['project create shop --stages dev staging prod', 'then rollkey init --project shop --stage dev'],
    ['project create shop --name "Web shop"', 'without stages; rollkey stage create adds them'],
  ],
  async run(context, [project = ''], { name, stages = [] }) {
    const { out } = context
    const client = (await context.service()).at({ project })
    await client.manage.project.create({ name, stages: stages.map((stageSlug) => ({ stageSlug })) })
    if (out.isJson) return out.json({ project, name, stages })
    out.note(`Created the project ${project}${stages.length > 0 ? ` with ${stages.join(', ')}` : ''}.`)
  },
})

export const projectCommands = [projectList, projectCreate]
