/** The generated files, by their paths in the repository. */
import { openapi } from '@rollkey/contract'
import { settings } from '../packages/server/src/config.ts'

function settingsPage(): string {
  const rows = settings.map(({ name, about, byDefault, fromFile }) => {
    const names = fromFile ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
    return `| ${names} | ${byDefault && `\`${byDefault}\``} | ${about.replaceAll('|', '\\|')} |`
  })
  return `# Settings

Environment variables, read once at the start; a wrong one, or a \`ROLLKEY_\` name that is not listed here, stops the start
with one sentence. A secret can be given as the path of a file that holds it (\`…_FILE\`). Made from
\`packages/server/src/config.ts\` by \`npm run generate\`.

| Name | Default | |
|---|---|---|
${rows.join('\n')}
`
}

export function generated(): { path: string; text: string }[] {
  return [
    { path: 'packages/contract/openapi.json', text: `${JSON.stringify(openapi(), null, 2)}\n` },
    { path: 'docs/settings.md', text: settingsPage() },
  ]
}
