/** Commands and their output, as a text that tests compare with a file. */
import type { TestCli } from './cli.ts'

/** Replaces parts that differ from run to run with names. */
function withoutChance(text: string, { tenant, cwd }: TestCli, url: string): string {
  return text
    .replaceAll(cwd, '<folder>')
    .replaceAll(url, '<service>')
    .replaceAll(tenant.user.userId, '<user>')
    .replaceAll(tenant.at.orgSlug, '<org>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b20\d\d-\d\d-\d\d\b/g, '<day>')
    .replaceAll(/\b[A-Z][a-z]{2} <day> \d\d:\d\d\b/g, '<clock>')
    .replaceAll(/\b(just now|\d+ min ago)/g, '<ago>')
    .replaceAll(/(AtMs": ?)\d+/g, '$1<time>')
    .replaceAll(/svc_st_[\w-]{43}/g, '<token>')
    .replaceAll(/("requestId": ?)"[^"]+"/g, '$1"<request>"')
    .replaceAll(/\b(org|tok|grp|chg)_[\w-]{8,}/g, '<$1>')
}

/** Returns a command line in the form of a shell, for people. */
function lineOf(args: readonly string[]): string {
  return ['rollkey', ...args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg}'`))].join(' ')
}

export async function pipeTranscript(
  cli: TestCli,
  url: string,
  lines: readonly (readonly string[])[],
): Promise<string> {
  const parts: string[] = []
  for (const args of lines) {
    const { status, stdout, stderr } = await cli.run(...args)
    parts.push(`$ ${lineOf(args)}\n${stdout}${ended(stdout)}${stderr.replace(/^(?=.)/gm, '! ')}[${status}]\n`)
  }
  return withoutChance(parts.join('\n'), cli, url)
}

/** Returns a transcript with colors: escape sequences are shown as `\e[…`. Shortens spaces, since widths of columns vary. */
export async function terminalTranscript(
  cli: TestCli,
  url: string,
  lines: readonly (readonly string[])[],
): Promise<string> {
  const parts: string[] = []
  for (const args of lines) {
    const { status, screen } = await cli.terminal(args)
    parts.push(`$ ${lineOf(args)}\n${screen.replaceAll('\u001b', '\\e')}${ended(screen)}[${status}]\n`)
  }
  return withoutChance(parts.join('\n'), cli, url).replaceAll(/ {3,}/g, '  ')
}

/** Marks an output that does not end with a line break. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '⏎\n'
}
