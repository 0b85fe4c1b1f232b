/** Generated files, by their paths in the repository. */
import { readFileSync } from 'node:fs'
import { auditFacts, endpoints, errors, exportFormat, openapi } from '@rollkey/contract'
import { RollkeyError, type RollkeyErrorCode } from '@rollkey/sdk'
import { format, type FormatConfig } from 'oxfmt'
import { z } from 'zod'
import { sections as lineSections } from '../packages/cli/src/commands/index.ts'
import { optionsOf, type CommandSpec, type Option } from '../packages/cli/src/frame/command.ts'
import type { OperatorCommand } from '../packages/server/src/operator/command.ts'
import { commands } from '../packages/server/src/operator/commands.ts'
import { ocsfEvents } from '../packages/server/src/audit/stream/ocsf.ts'
import { program } from '../packages/server/src/operator/command-error.ts'
import { traceSettingRows } from '../packages/server/src/tracing/settings.ts'
import { settings } from '../packages/server/src/settings.ts'
import { clientErrors, programErrors } from './error-codes.ts'
import { management } from './management.ts'
import { manualPages } from './man.ts'
import { monitoringFiles } from './monitoring.ts'
import { wire, wireTables } from './wire.ts'

function settingRows(rows: ReturnType<typeof traceSettingRows>): string {
  const lines = rows.map(({ name, about, byDefault, fromFile }) => {
    const names = fromFile ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
    return `| ${names} | ${byDefault && `\`${byDefault}\``} | ${about.replaceAll('|', '\\|')} |`
  })
  return `| Name | Default | |
|---|---|---|
${lines.join('\n')}`
}

function settingsPage(): string {
  return `# Settings

The service reads these environment variables once, at its start.
A wrong value, or a \`ROLLKEY_\` name that is not listed here, stops the start with one sentence.
A secret can be given as the path of a file that contains it (\`…_FILE\`).
\`npm run generate\` makes this page from \`packages/server/src/settings.ts\`.

${settingRows(settings)}

## Traces

[Traces](operator-guide.md#traces) have standard variables of OpenTelemetry.
Where they are sent is one of the first two; without it, none of the others is read.

${settingRows(traceSettingRows())}
`
}

type Rows = NonNullable<OperatorCommand['args']>

function rowsOf(rows: Rows | readonly Option[], about: (text: string) => string = (text) => text): string[] {
  return rows.map(([name, text]) => `| \`${name.replaceAll('|', '\\|')}\` | ${about(text).replaceAll('|', '\\|')} |`)
}

function tableOf(rows: readonly string[]): string {
  return rows.length > 0 ? `\n| | |\n|---|---|\n${rows.join('\n')}\n` : ''
}

function examplesOf(examples: OperatorCommand['examples'], name: string): string {
  const lines = examples.map(([line, about]) => `# ${about}\n${name} ${line}`)
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`
}

function commandSection({ name, summary, args = [], required = [], options = [], examples }: OperatorCommand): string {
  const rows = [...rowsOf(args), ...rowsOf(required, (text) => `${text}; required`), ...rowsOf(options)]
  return `## ${name}

${summary}.
${tableOf(rows)}
${examplesOf(examples, program)}`
}

function lineSection({ name, args = '', summary, options = [], examples }: CommandSpec): string {
  return `### ${name}

\`rollkey ${`${name} ${args}`.trim()}\`: ${summary}.
${tableOf(rowsOf(options))}
${examplesOf(examples, 'rollkey')}`
}

/** Returns the commands of the command line, without the one that shells call. */
function linePage(): string {
  const { Hidden: _, ...shown } = lineSections as Readonly<Record<string, readonly CommandSpec[]>>
  const [first] = shown['Variables'] ?? []
  if (!first) throw new Error('The command line has no commands.')
  return `# Commands

Every command of [the command line](cli.md), as \`rollkey COMMAND --help\` shows it.
\`npm run generate\` makes this page from \`packages/cli/src/commands\`.

## Common options

Each command takes those that it needs.
${tableOf(rowsOf(optionsOf({ ...first, options: [], target: 'stage' })))}
${Object.entries(shown)
  .map(([title, specs]) => `## ${title}\n\n${specs.map(lineSection).join('\n')}`)
  .join('\n')}`
}

function operatorPage(): string {
  return `# The operator's commands

With npm and in a checkout, \`${program} COMMAND\` runs a command, and without a command it starts the service, as \`npm start\` does.
\`${program} --demo\` starts it with an example organization instead ([demo](install.md#a-demo)).
In a checkout, \`npm run -s admin -- COMMAND\` is the same program, and elsewhere the program is \`rollkey-server\`.
Settings come from the environment ([settings.md](settings.md)).
A command works in the running service or, if none runs, on the store itself.

On a terminal, a command prints text for people, with times in UTC.
Elsewhere, output is JSON, except that \`audit key\` prints PEM.
A field such as \`retiredInUse\` of the JSON is \`retired in use\` in the text.
\`--json\` is an option of every command: it prints JSON in any case, and errors as JSON on stderr.
Otherwise an error is one line on stderr, as in [the command line](cli-reference.md#for-scripts): \`CODE: what happened; try: a command\`.

| Exit status | Meaning |
|---|---|
| 0 | success |
| 1 | another error, or a check failed |
| 2 | wrong usage or a wrong setting |
| 5 | not found |
| 6 | invalid file or conflict |
| 8 | the store, the KMS or the service cannot be reached |

\`npm run generate\` makes this page from \`packages/server/src/operator\`.

${commands.map(commandSection).join('\n')}`
}

function retryText(retry: 'no' | 'backoff'): string {
  return retry === 'no' ? 'no' : 'yes, with increasing delays'
}

function sectionOf(code: string, meaning: string, facts: string): string {
  return `## ${code}\n\n${meaning}\n\n${facts}\n`
}

function errorsPage(): string {
  const service = Object.entries(errors).map(([code, { status, retry, message, advice }]) =>
    sectionOf(code, message, `- Status: ${status}\n- Retry: ${retryText(retry)}\n- What to do: ${advice}`),
  )
  const inClient = Object.entries(clientErrors).map(([code, meaning]) => {
    const { retry, advice } = new RollkeyError(code as RollkeyErrorCode, meaning)
    return sectionOf(code, meaning, `- Retry: ${retryText(retry)}\n- What to do: ${advice}`)
  })
  const inProgram = Object.entries(programErrors).map(([code, [meaning, advice]]) =>
    sectionOf(code, meaning, `- What to do: ${advice}`),
  )
  return `# Error codes

Every code that the service, the SDK, \`rollkey\` and \`rollkey-server\` print, in this order.
A code that is not here, such as \`ENOENT\` or \`ECONNREFUSED\`, is of the operating system.

An error of the API is \`{"error":{"code","message","requestId"}}\`.
Base your logic on \`code\`; \`message\` is for people and may change.
*Retry* says whether the same request may succeed later.
[Troubleshooting](troubleshooting.md) begins with what you see.
\`npm run generate\` makes this page from \`packages/contract/src/errors.ts\` and \`tools/error-codes.ts\`.

${[...service, ...inClient, ...inProgram].join('\n')}`
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

function factsOf(action: keyof typeof auditFacts): string {
  const { before, after: _, ...others } = auditFacts[action].shape as Readonly<Record<string, z.ZodType>>
  const changed = before ? Object.keys((before as z.ZodOptional<z.ZodObject>).unwrap().shape) : []
  const parts = [codes(Object.keys(others)), changed.length > 0 ? `before and after: ${codes(changed)}` : '']
  return parts.filter((part) => part !== '').join('; ') || 'none'
}

/** Returns the table of actions by their class and activity in OCSF. */
function ocsfSection(): string {
  const groups = Map.groupBy(Object.keys(auditFacts) as (keyof typeof auditFacts)[], (action) => {
    const { className, classUid, activityName, activityId, isFailure } = ocsfEvents[action]
    return `| ${className} (${classUid}) | ${activityName} (${activityId}) | ${isFailure ? 'Failure' : 'Success'} |`
  })
  const rows = [...groups].map(([event, actions]) => `${event} ${codes(actions)} |`).toSorted()
  return `### In OCSF

| Class | Activity | Status | Actions |
|---|---|---|---|
${rows.join('\n')}
`
}

/** Returns docs/audit.md with the current tables of actions, which are its end. */
function auditPage(): string {
  const groups = Map.groupBy(Object.keys(auditFacts) as (keyof typeof auditFacts)[], factsOf)
  const rows = [...groups].map(([facts, actions]) => `| ${codes(actions)} | ${facts} |`)
  const page = readFileSync(new URL('../docs/audit.md', import.meta.url), 'utf8')
  const start = page.slice(0, page.indexOf('| Action | Facts |'))
  return `${start}| Action | Facts |\n|---|---|\n${rows.join('\n')}\n\n${ocsfSection()}`
}

/** Returns what each endpoint does, after "was denied:". The pages say evaluation for a billing event. */
function attempts(): string {
  const texts = Object.entries(endpoints).map(([name, { summary }]) => {
    const [first = ''] = summary.split(/[;:]|, all or nothing/)
    const text = first.replace('billing event', 'evaluation')
    return [name, text.charAt(0).toLowerCase() + text.slice(1)]
  })
  return JSON.stringify(Object.fromEntries(texts))
}

interface GeneratedFile {
  readonly path: string
  readonly text: string
}

async function formatted(path: string, text: string): Promise<GeneratedFile> {
  const options = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8')) as FormatConfig
  return { path, text: (await format(path, text, options)).code }
}

export async function generated(): Promise<GeneratedFile[]> {
  return [
    await formatted('packages/sdk/src/wire.ts', wire()),
    await formatted('packages/sdk/src/wire-tables.ts', wireTables()),
    await formatted('packages/sdk/src/management.ts', management()),
    await formatted('packages/contract/openapi.json', JSON.stringify(openapi())),
    {
      path: 'docs/export.schema.json',
      text: `${JSON.stringify(z.toJSONSchema(exportFormat, { io: 'input', unrepresentable: 'any' }), null, 2)}\n`,
    },
    { path: 'docs/errors.md', text: errorsPage() },
    { path: 'docs/audit.md', text: auditPage() },
    { path: 'docs/settings.md', text: settingsPage() },
    { path: 'docs/rollkey-server.md', text: operatorPage() },
    { path: 'docs/cli-commands.md', text: linePage() },
    await formatted('packages/dashboard/src/features/audit/attempts.json', attempts()),
    ...(await Promise.all(monitoringFiles().map(({ path, text }) => formatted(path, text)))),
    ...manualPages(),
  ]
}
