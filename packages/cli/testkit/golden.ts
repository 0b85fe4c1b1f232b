/** Command lines and what they print, as a text that is compared with a file. */
import type { CliDesk } from './desk.ts'

/** What differs from run to run, by a name of it. */
function withoutChance(text: string, { tenant, cwd }: CliDesk, url: string): string {
  return text
    .replaceAll(cwd, '<folder>')
    .replaceAll(url, '<service>')
    .replaceAll(tenant.user.userId, '<user>')
    .replaceAll(tenant.at.orgSlug, '<org>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b20\d\d-\d\d-\d\d\b/g, '<day>')
    .replaceAll(/(AtMs": ?)\d+/g, '$1<time>')
    .replaceAll(/svc_st_[\w-]{43}/g, '<token>')
    .replaceAll(/("requestId": ?)"[^"]+"/g, '$1"<request>"')
    .replaceAll(/\b(org|tok)_[\w-]{8,}/g, '<$1>')
}

/** A command line as a shell would have it, for people to read. */
function lineOf(args: readonly string[]): string {
  return ['rollkey', ...args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg}'`))].join(' ')
}

export async function pipeTranscript(
  tenant: CliDesk,
  url: string,
  lines: readonly (readonly string[])[],
): Promise<string> {
  const parts: string[] = []
  for (const args of lines) {
    const { status, stdout, stderr } = await tenant.run(...args)
    parts.push(`$ ${lineOf(args)}\n${stdout}${ended(stdout)}${stderr.replace(/^(?=.)/gm, '! ')}[${status}]\n`)
  }
  return withoutChance(parts.join('\n'), tenant, url)
}

/** Colours and all: escape sequences are shown as `\e[…`. Columns are as wide as what they hold, which is not the same each time. */
export async function terminalTranscript(
  tenant: CliDesk,
  url: string,
  lines: readonly (readonly string[])[],
): Promise<string> {
  const parts: string[] = []
  for (const args of lines) {
    const { status, screen } = await tenant.terminal(args)
    parts.push(`$ ${lineOf(args)}\n${screen.replaceAll('\u001b', '\\e')}${ended(screen)}[${status}]\n`)
  }
  return withoutChance(parts.join('\n'), tenant, url).replaceAll(/ {3,}/g, '  ')
}

/** Says so where an output does not end with a line break. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '⏎\n'
}
