/** Finds the variables that JavaScript and TypeScript read from their environment, and with the SDK. */
import { parse, type ParserPlugin } from '@babel/parser'

/** A variable as a program reads it. */
export interface UsedVariable {
  readonly name: string
  /** Whether some place has no fallback for it. */
  readonly isRequired: boolean
  /** The text or number that a place falls back to. Absent: none. */
  readonly fallback?: string | undefined
}

/** A node of the syntax tree. */
interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** Variables that runtimes and build tools set by themselves. */
const ofTools: ReadonlySet<string> = new Set([
  'BASE_URL',
  'CI',
  'DEV',
  'HOME',
  'MODE',
  'NODE_ENV',
  'PATH',
  'PROD',
  'SSR',
])

/** Returns what a file reads. Throws if the file cannot be parsed. */
export function variablesIn(text: string, isTypeScript: boolean, isJsx: boolean): UsedVariable[] {
  const plugins: ParserPlugin[] = ['decorators-legacy', ...(isTypeScript ? ['typescript' as const] : [])]
  const { program } = parse(text, {
    sourceType: 'unambiguous',
    allowReturnOutsideFunction: true,
    plugins: isJsx ? [...plugins, 'jsx'] : plugins,
  })
  const importsSdk = program.body.some(
    (node) => node.type === 'ImportDeclaration' && node.source.value.startsWith('@rollkey/sdk'),
  )
  const found: UsedVariable[] = []
  const waiting: (readonly [node: Node, parent: Node | undefined])[] = [[program as unknown as Node, undefined]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, parent] = next
    found.push(...usesOf(node, parent), ...readsOf(node, importsSdk))
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? (value as readonly unknown[]) : [value])
        if (isNode(child)) waiting.push([child, node])
    }
  }
  return found.filter(({ name }) => !ofTools.has(name))
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function usesOf(node: Node, parent: Node | undefined): UsedVariable[] {
  if (isMember(node) && isEnvironment(node['object'])) {
    const name = propertyOf(node)
    const isRead = parent?.type !== 'AssignmentExpression' || parent['left'] !== node || parent['operator'] !== '='
    return name === undefined || !isRead || isDeleted(parent) ? [] : [used(name, fallbackOf(node, parent))]
  }
  const isDestructured = node.type === 'VariableDeclarator' && isEnvironment(node['init'])
  const pattern = node['id']
  if (!isDestructured || !isNode(pattern) || pattern.type !== 'ObjectPattern') return []
  return (pattern['properties'] as readonly Node[]).flatMap((property) => {
    const name = property.type === 'ObjectProperty' ? keyOf(property['key'], property['computed'] === true) : undefined
    const { value } = property
    const fallback = isNode(value) && value.type === 'AssignmentPattern' ? value['right'] : undefined
    return name === undefined ? [] : [used(name, fallback)]
  })
}

/** Names as most variables have them, which keys of other maps have not. */
const constantName = /^[A-Z][A-Z0-9_]*$/

/** Returns what a call of the SDK reads, such as `rollkey.get('API_KEY')`. `importsSdk`: the client may have any name. */
function readsOf(node: Node, importsSdk: boolean): UsedVariable[] {
  const { callee } = node
  if (!node.type.endsWith('CallExpression') || !isNode(callee) || !isMember(callee)) return []
  const { object } = callee
  const [first] = node['arguments'] as readonly Node[]
  const name = first?.type === 'StringLiteral' ? String(first['value']) : ''
  const isRead = ['get', 'inspect'].includes(propertyOf(callee) ?? '') && constantName.test(name)
  return isRead && (importsSdk || /rollkey/i.test(nameOf(object))) ? [used(name, undefined)] : []
}

function nameOf(value: unknown): string {
  if (!isNode(value)) return ''
  return value.type === 'Identifier' ? String(value['name']) : isMember(value) ? (propertyOf(value) ?? '') : ''
}

function used(name: string, fallback: unknown): UsedVariable {
  const literal = isNode(fallback) ? fallback['value'] : undefined
  const text = typeof literal === 'string' || typeof literal === 'number' ? String(literal) : undefined
  return { name, isRequired: fallback === undefined, ...(text !== undefined && text !== '' && { fallback: text }) }
}

/** Returns what follows `??` or `||`. */
function fallbackOf(node: Node, parent: Node | undefined): unknown {
  const isFallback = parent?.type === 'LogicalExpression' && parent['operator'] !== '&&' && parent['left'] === node
  return isFallback ? parent['right'] : undefined
}

function isDeleted(parent: Node | undefined): boolean {
  return parent?.type === 'UnaryExpression' && parent['operator'] === 'delete'
}

function isMember(node: Node): boolean {
  return node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression'
}

/** Returns whether an expression is `process.env` or `import.meta.env`. */
function isEnvironment(value: unknown): boolean {
  if (!isNode(value) || !isMember(value) || propertyOf(value) !== 'env') return false
  const { object } = value
  if (!isNode(object)) return false
  if (object.type === 'Identifier') return object['name'] === 'process'
  // globalThis.process.env
  return object.type === 'MetaProperty' || (isMember(object) && propertyOf(object) === 'process')
}

function propertyOf(node: Node): string | undefined {
  return keyOf(node['property'], node['computed'] === true)
}

function keyOf(key: unknown, isComputed: boolean): string | undefined {
  if (!isNode(key)) return undefined
  if (key.type === 'StringLiteral') return key['value'] as string
  return key.type === 'Identifier' && !isComputed ? (key['name'] as string) : undefined
}
