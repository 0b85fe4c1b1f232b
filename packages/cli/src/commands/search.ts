import { limits } from '@rollkey/contract/rules'
import { command } from '../frame/command.ts'
import { kindText, lineText, typeText } from '../frame/words.ts'

export const search = command({
  name: 'search',
  args: '<TEXT>',
  summary: 'Find variables by a part of their name, in all projects',
  target: 'organization',
  examples: [
    ['search api_', 'ignores case; names, stages and kinds'],
    ['search API_KEY --json', 'for a script'],
  ],
  async run(context, [text = '']) {
    const { out } = context
    const { variables, more } = await (await context.service()).manage.search({ query: text })
    if (out.isJson) return out.json({ variables, more })
    const rows = variables.map(({ name, projectSlug, stageSlug, kind, exposure, declaredType, description }) => [
      name,
      `${projectSlug}/${stageSlug}`,
      kindText({ kind, exposure }, out),
      typeText(declaredType ?? '-', out),
      lineText(description),
    ])
    out.table(['name', 'stage', 'kind', 'type', 'description'], rows, { shortened: 'description' })
    if (rows.length === 0) out.note(`No variable that you may see has ${JSON.stringify(text)} in its name.`)
    if (more) out.note(`Only the first ${limits.searchResults} are shown: search for a longer part of the name.`)
  },
})
