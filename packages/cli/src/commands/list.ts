import { command } from '../frame/command.ts'

export const list = command({
  name: 'list',
  summary: 'List the variables of a stage without their values',
  target: 'stage',
  examples: [
    ['list', 'names, kinds, types, attributes and times of the last change'],
    ['list --stage prod --json', 'the same, for a script'],
    ['list | cut -f1', 'names only'],
  ],
  async run(context) {
    const { out } = context
    const { variables, revision } = await (await context.stage()).list()
    if (out.isJson) {
      out.json({ revision, variables })
      return
    }
    const rows = variables.map(({ name, kind, declaredType, chance, exposure, description, updatedAtMs }) => [
      name,
      kind,
      declaredType ?? '-',
      String(chance ?? '-'),
      exposure ?? '-',
      new Date(updatedAtMs).toISOString(),
      // On one line, last because it may be long.
      description?.replace(/\s+/g, ' ').trim() ?? '-',
    ])
    out.table(['name', 'kind', 'type', 'chance', 'exposure', 'updated', 'description'], rows)
    if (rows.length === 0) out.note('The stage has no variables. Create one with rollkey set.')
  },
})
