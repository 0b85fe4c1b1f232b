/**
 * Checks the documentation of the public API, and type-checks its examples. `npm run check` runs it. Arguments: folders of
 * packages; by default, those whose API is public.
 */
import path from 'node:path'
import ts from 'typescript-5'
import { errorsOf, examplesOf, lineOf, readmeExamplesOf } from './api-docs/examples.ts'
import { gapsOf } from './api-docs/rules.ts'
import { packageAt, partsOf } from './api-docs/surface.ts'

const root = path.resolve(import.meta.dirname, '..')
const named = process.argv.slice(2)
const folders = named.length > 0 ? named : ['contract', 'sdk', 'openfeature'].map((name) => `packages/${name}`)

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file))
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root)
const packages = folders.map(packageAt)
const program = ts.createProgram(
  packages.flatMap(({ entryPoints }) => [...entryPoints.values()]),
  // Examples compile as strictly as the programs of most users.
  { ...options, noPropertyAccessFromIndexSignature: false, verbatimModuleSyntax: false },
)

const parts = packages.flatMap((each) => partsOf(program, each))
const gaps = parts.flatMap((part) => {
  const source = part.node.getSourceFile()
  const location = `${path.relative('', source.fileName)}:${lineOf(source, part.node.getStart())}`
  return gapsOf(part).map((gap) => `${location}: ${part.name} lacks ${gap}`)
})
const examples = [...examplesOf(parts), ...packages.flatMap(readmeExamplesOf)]
const errors = errorsOf(examples, program, packages)

for (const line of [...gaps, ...errors]) console.error(line)
if (gaps.length > 0)
  console.error(`${gaps.length} gaps in the documentation of the API; docs/style.md says what each comment has.`)
if (errors.length > 0)
  console.error(`${errors.length} errors in examples; tools/api-docs/context.d.ts.txt declares what they may use.`)
process.exitCode = gaps.length + errors.length > 0 ? 1 : 0
