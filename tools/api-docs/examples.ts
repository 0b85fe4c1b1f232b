/** Type-checks examples: those of comments, and the TypeScript of READMEs. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript-5'
import { exportsOf, type Package, type Part } from './surface.ts'

/** Declares what examples take from the program around them. */
const context = path.join(import.meta.dirname, 'context.d.ts')
const contextText = readFileSync(`${context}.txt`, 'utf8')

/** An example, and where it is from. */
export interface Example {
  readonly file: string
  /** Line of the file before the first line of the code, from 1. */
  readonly line: number
  readonly code: string
}

/** Returns the examples in the comments of parts. */
export function examplesOf(parts: readonly Part[]): readonly Example[] {
  const tags = parts.flatMap(({ node }) => ts.getJSDocTags(node)).filter(({ tagName }) => tagName.text === 'example')
  return [...new Set(tags)].map((tag) => {
    const source = tag.getSourceFile()
    const [, ...lines] = source.text.slice(tag.getStart(), tag.end).split('\n')
    const code = lines.map((line) => line.replace(/^\s*\*( |\/?$)/, '')).join('\n')
    return { file: source.fileName, line: lineOf(source, tag.getStart()), code }
  })
}

/** Returns the TypeScript of the README of a package. */
export function readmeExamplesOf({ folder }: Package): readonly Example[] {
  const file = path.resolve(folder, 'README.md')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(({ index, 1: code = '' }) => {
    return { file, line: text.slice(0, index).split('\n').length, code }
  })
}

/** Returns the position of a node as a line, from 1. */
export function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1
}

/** Returns the errors of examples, as `file:line: message`. `program` has the packages. */
export function errorsOf(
  examples: readonly Example[],
  program: ts.Program,
  packages: readonly Package[],
): readonly string[] {
  const modules = new Map(
    examples.map((example) => [
      `${example.file}.example-${example.line}.ts`,
      { ...example, text: `${importsFor(example, program, packages)}\n${example.code}\nexport {}\n` },
    ]),
  )
  const files = new Map([[context, contextText], ...[...modules].map(([file, { text }]) => [file, text] as const)])
  const roots = [...program.getRootFileNames(), ...files.keys()]
  const checked = ts.createProgram(roots, program.getCompilerOptions(), hostWith(files, program))
  return [...modules].flatMap(([file, { file: shown, line }]) => {
    const source = checked.getSourceFile(file)
    return [...checked.getSyntacticDiagnostics(source), ...checked.getSemanticDiagnostics(source)].map((error) => {
      const at = source && error.start !== undefined ? lineOf(source, error.start) - 1 : 0
      return `${path.relative('', shown)}:${line + at}: ${ts.flattenDiagnosticMessageText(error.messageText, ' ')}`
    })
  })
}

/** Returns the imports of an example that has none, on one line: the exports that it mentions, first those of its package. */
function importsFor({ file, code }: Example, program: ts.Program, packages: readonly Package[]): string {
  if (/^import /m.test(code)) return ''
  const words = new Set(code.match(/\w+/g))
  const byDistance = packages.toSorted((a, b) => Number(owns(b, file)) - Number(owns(a, file)))
  const entryPoints = byDistance.flatMap((each) => [...each.entryPoints])
  return entryPoints
    .map(([specifier, entry]) => {
      const names = exportsOf(program, entry).map(({ name }) => name)
      return `import { ${names.filter((name) => words.delete(name)).join(', ')} } from '${specifier}'`
    })
    .join('; ')
}

function owns({ folder }: Package, file: string): boolean {
  return !path.relative(folder, file).startsWith('..')
}

/** Returns a host that also has these files. It does not parse the files of `program` again. */
function hostWith(files: ReadonlyMap<string, string>, program: ts.Program): ts.CompilerHost {
  const host = ts.createCompilerHost(program.getCompilerOptions())
  return {
    ...host,
    fileExists: (file) => files.has(file) || host.fileExists(file),
    getSourceFile: (file, version) => {
      const text = files.get(file)
      if (text !== undefined) return ts.createSourceFile(file, text, version)
      return program.getSourceFile(file) ?? host.getSourceFile(file, version)
    },
  }
}
