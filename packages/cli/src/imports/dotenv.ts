import { parse } from 'dotenv'
import { unreadable, type Entry } from './entry.ts'

/**
 * Where the npm package dotenv sees an assignment, over several lines if its value is quoted, and the value as it stands. The
 * package tells neither lines nor repeated names, and passes over what it does not understand without a word.
 */
const assignment =
  /^[^\S\n]*(?:export\s+)?[\w.-]+(?:[^\S\n]*=[^\S\n]*|:[^\S\n]+)('(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`|[^#\n]+)?[^\S\n]*(?:#.*)?$/gm

/** Values as the npm package dotenv reads them. What it would leave out or cut short is an error with its line. */
export function dotenv(source: string, file: string): Entry[] {
  const text = source.replace(/\r\n?/g, '\n')
  const entries: Entry[] = []
  let end = 0
  for (const { 0: found, 1: raw, index } of text.matchAll(assignment)) {
    expectNothing(text, end, index, file)
    end = index + found.length
    const [[name, value] = ['', '']] = Object.entries(parse(found))
    // Without its closing quote a value is one line, quote and all, and the lines after it are lost or names of their own.
    if (/^['"`]/.test(value) && raw?.[0] === value[0]) {
      const what = `The value of ${name} begins with a quote that does not end it`
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

/** Nothing but comments and white space. */
function expectNothing(text: string, start: number, end: number, file: string): void {
  const offset = text.slice(start, end).search(/^[^\S\n]*[^\s#]/m)
  if (offset >= 0) throw unreadable(file, `, line ${lineAt(text, start + offset)}`, 'This is no NAME=value')
}
