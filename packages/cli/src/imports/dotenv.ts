import { parse } from 'dotenv'
import { unreadable, type Entry } from './entry.ts'

/**
 * Matches an assignment as the npm package dotenv sees it, over several lines if its value is quoted, and its raw value. The
 * package reports neither lines nor repeated names, and silently skips text that it does not understand.
 */
const assignment =
  /^[^\S\n]*(?:export\s+)?[\w.-]+(?:[^\S\n]*=[^\S\n]*|:[^\S\n]+)('(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`|[^#\n]+)?[^\S\n]*(?:#.*)?$/gm

/** Reads values like the npm package dotenv. Text that the package would skip or cut short is an error with its line. */
export function dotenv(source: string, file: string): Entry[] {
  const text = source.replace(/\r\n?/g, '\n')
  const entries: Entry[] = []
  let end = 0
  for (const { 0: found, 1: raw, index } of text.matchAll(assignment)) {
    expectNothing(text, end, index, file)
    end = index + found.length
    const [[name, value] = ['', '']] = Object.entries(parse(found))
    // Without a closing quote, a value ends with its line and keeps its quote, and the next lines are lost or become names.
    if (/^['"`]/.test(value) && raw?.[0] === value[0]) {
      const what = `The value of ${name} begins with a quote that is not closed. Close it, or quote the value differently`
      throw unreadable(file, `, line ${lineAt(text, index)}`, what)
    }
    entries.push({ name, value })
  }
  expectNothing(text, end, text.length, file)
  return entries
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** Throws unless there are only comments and white space. */
function expectNothing(text: string, start: number, end: number, file: string): void {
  const offset = text.slice(start, end).search(/^[^\S\n]*[^\s#]/m)
  if (offset >= 0) throw unreadable(file, `, line ${lineAt(text, start + offset)}`, 'Expected NAME=value')
}
