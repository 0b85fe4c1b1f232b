/** Generated files, by their paths in the repository. */
import { readFileSync } from 'node:fs'
import { exportFormat, openapi } from '@rollkey/contract'
import { format, type FormatConfig } from 'oxfmt'
import { z } from 'zod'
import { settings } from '../packages/server/src/settings.ts'
import { wire } from './wire.ts'

function settingsPage(): string {
  const rows = settings.map(({ name, about, byDefault, fromFile }) => {
    const names = fromFile ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
    return `| ${names} | ${byDefault && `\`${byDefault}\``} | ${about.replaceAll('|', '\\|')} |`
  })
  return `# Settings

The service reads these environment variables once, at its start.
A wrong value, or a \`ROLLKEY_\` name that is not listed here, stops the start with one sentence.
A secret can be given as the path of a file that contains it (\`…_FILE\`).
\`npm run generate\` makes this page from \`packages/server/src/settings.ts\`.

| Name | Default | |
|---|---|---|
${rows.join('\n')}
`
}

async function wireModule(): Promise<{ path: string; text: string }> {
  const path = 'packages/sdk/src/wire.ts'
  const options = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8')) as FormatConfig
  return { path, text: (await format(path, wire(), options)).code }
}

export async function generated(): Promise<{ path: string; text: string }[]> {
  return [
    await wireModule(),
    { path: 'packages/contract/openapi.json', text: `${JSON.stringify(openapi(), null, 2)}\n` },
    {
      path: 'docs/export.schema.json',
      text: `${JSON.stringify(z.toJSONSchema(exportFormat, { io: 'input' }), null, 2)}\n`,
    },
    { path: 'docs/settings.md', text: settingsPage() },
  ]
}
