import { command } from '../frame/command.ts'
import { credentialSource } from '../frame/credential.ts'

export const config = command({
  name: 'config',
  summary: 'Show each setting and where it comes from',
  reach: 'stage',
  examples: [
    ['config', 'flags win over ROLLKEY_URL, _ORG, _PROJECT and _STAGE, these over rollkey.json'],
    ['config --stage prod --json', 'what another command line would use'],
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
