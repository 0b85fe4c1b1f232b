/** The API reference of the documentation site, made of the OpenAPI document: a page for each tag, and one of the shared shapes. */
import document from '../../packages/contract/openapi.json' with { type: 'json' }
import { slugOf } from './pages.ts'

/** What the reference shows of a schema. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Answer extends Body {
  readonly $ref?: string
  readonly description: string
  readonly 'x-error-codes'?: readonly string[]
}

interface Operation {
  readonly tags: readonly string[]
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Answer>>
}

const { tags, paths, components } = document as unknown as {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Answer>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

function nameOf(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1)
}

/** Returns what a reference of one kind leads to, or the node itself. */
function resolved<T extends { readonly $ref?: string }>(node: T, kind: Readonly<Record<string, T>>): T {
  return node.$ref === undefined ? node : (kind[nameOf(node.$ref)] ?? node)
}

/** Returns the type of a value in Markdown. */
function typeOf(schema: Schema): string {
  const { $ref, type, items, additionalProperties, enum: values } = schema
  if ($ref !== undefined) return `[${nameOf($ref)}](/reference/shapes.md#${slugOf(nameOf($ref))})`
  if (values) return values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(typeOf).join(' or ')
  if (items) return `list of ${typeOf(items)}`
  if (additionalProperties && Object.keys(additionalProperties).length > 0)
    return `map of ${typeOf(additionalProperties)}`
  return type ?? 'any'
}

/** Returns the members of an object, and those of the objects within it: `entries[].name`. */
function rowsOf(schema: Schema, prefix = ''): string[] {
  if (schema.allOf) return schema.allOf.flatMap((part) => rowsOf(resolved(part, components.schemas), prefix))
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`
    const about = (member.description ?? '').replaceAll('|', '\\|').replaceAll('<', '&lt;')
    const presence = schema.required?.includes(name) ? '' : ', optional'
    const inner = member.items?.properties ? rowsOf(member.items, `${path}[].`) : rowsOf(member, `${path}.`)
    return [`| \`${path}\` | ${typeOf(member)}${presence} | ${about} |`, ...inner]
  })
  return [...own, ...(schema.anyOf ?? schema.oneOf ?? []).flatMap((each) => rowsOf(each, prefix))]
}

function table(head: string, rows: readonly string[]): string {
  return rows.length > 0 ? `| ${head} | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n` : ''
}

function schemaOf({ content = {} }: Body): Schema {
  return Object.values(content)[0]?.schema ?? {}
}

function operationSection(path: string, method: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map((each) => resolved(each, components.parameters))
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const about = description ?? schema.description ?? ''
    return `| \`${name}\` (${place}) | ${typeOf(schema)}${required ? '' : ', optional'} | ${about} |`
  })
  const answers = Object.values(operation.responses).map((each) => resolved(each, components.responses))
  const [done = { description: '' }] = answers
  const answer = table('Answer', rowsOf(resolved(schemaOf(done), components.schemas)))
  const codes = answers.flatMap((each) => each['x-error-codes'] ?? [])
  const links = codes.map((code) => `[${code}](/errors.md#${slugOf(code)})`)
  return [
    `## ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    table('Parameter', rows),
    table('Request', rowsOf(resolved(schemaOf(operation.requestBody ?? {}), components.schemas))),
    answer,
    links.length > 0 ? `Errors: ${links.join(', ')}` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Name of each page in the folder of the reference, and its title. */
export const referencePages: readonly (readonly [name: string, title: string])[] = [
  ...tags.map(({ name }) => [slugOf(name), name] as const),
  ['shapes', 'Shapes'],
]

/** Returns the pages, by their paths on the site. */
export function reference(): ReadonlyMap<string, string> {
  const sections = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      text: operationSection(path, method, operation),
    })),
  )
  const groups = tags.map(({ name, description }) => {
    const own = sections.filter(({ tag }) => tag === name).map(({ text }) => text)
    return [`reference/${slugOf(name)}.md`, `# API: ${name}\n\n${description}.\n\n${own.join('\n\n')}\n`] as const
  })
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `## ${name}\n\n${schema.description ?? ''}\n\n${table('Member', rowsOf(schema)) || typeOf(schema)}`,
  )
  const lists = groups.map(([page], at) => `| [${tags[at]?.name}](/${page}) | ${tags[at]?.description} |`)
  const index = `# API reference

The [API](/api.md) page has what all endpoints share.

| Part | Contents |
|---|---|
${lists.join('\n')}
| [Shapes](/reference/shapes.md) | objects that occur in several endpoints |
| [Error codes](/errors.md) | every error code, with what to do |
`
  return new Map([
    ['reference/index.md', index],
    ...groups,
    ['reference/shapes.md', `# API: shapes\n\nObjects that occur in several endpoints.\n\n${shapes.join('\n\n')}\n`],
  ])
}
