import { command } from '../frame/command.ts'
import { credentialSource } from '../frame/credential.ts'

export const config = command({
  name: 'config',
  summary: 'Show each setting and its source',
  target: 'stage',
  examples: [
    ['config', 'flags override ROLLKEY_URL, _ORG, _PROJECT and _STAGE, which override rollkey.json'],
    ['config --stage prod --json', 'the settings of a command with this flag'],
  ],
  async run(context) {
    const { out, settings } = context
    const names = ['url', 'org', 'project', 'stage'] as const
    const credential = await credentialSource(context)
    if (out.isJson) {
      const all = names.map((name) => [name, settings[name] ?? null])
      out.json({ ...Object.fromEntries(all), credential })
      return
    }
    const rows = names.map((name) => [name, settings[name]?.value ?? '-', settings[name]?.source ?? 'not set'])
    out.table(['setting', 'value', 'from'], [...rows, ['credential', '-', credential]])
  },
})
