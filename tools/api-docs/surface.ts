/** Finds the public API of a package: everything that a program can reach from the entry points in `exports`. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript-5'

/** A package, and the modules that its `exports` name. */
export interface Package {
  readonly folder: string
  /** Files by what programs import, such as `@rollkey/sdk/node`. */
  readonly entryPoints: ReadonlyMap<string, string>
}

/** A declaration that users see: an export, or a member of one. */
export interface Part {
  /** Such as `Client.get`. */
  readonly name: string
  readonly node: ts.Node
  /** Whether it is a function, a method or a constructor. */
  readonly isCalled: boolean
  /** Whether it is a property that can be left out. */
  readonly isOptional: boolean
  /** The export or member that contains it. */
  readonly owner: Part | undefined
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly source: string }>>
}

/** Reads a package. Skips exports that are not TypeScript, such as test vectors. */
export function packageAt(folder: string): Package {
  const { name, exports } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
  const files = Object.entries(exports).map(
    ([entry, target]) => [path.posix.join(name, entry), typeof target === 'string' ? target : target.source] as const,
  )
  const modules = files.filter(([, file]) => file.endsWith('.ts'))
  return { folder, entryPoints: new Map(modules.map(([specifier, file]) => [specifier, path.resolve(folder, file)])) }
}

/** Returns the exports of a module. */
export function exportsOf(program: ts.Program, file: string): readonly ts.Symbol[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (!module) throw new Error(`${file} exports nothing; correct the exports in package.json`)
  return checker.getExportsOfModule(module)
}

/** Returns the public API of a package, without what is `@internal`. */
export function partsOf(program: ts.Program, { folder, entryPoints }: Package): readonly Part[] {
  const surface = new Surface(program.getTypeChecker(), path.resolve(folder))
  for (const file of entryPoints.values()) for (const symbol of exportsOf(program, file)) surface.visit(symbol)
  return surface.parts.toSorted(byPosition)
}

function byPosition({ node: a }: Part, { node: b }: Part): number {
  const [file, other] = [a.getSourceFile().fileName, b.getSourceFile().fileName]
  return file === other ? a.pos - b.pos : file < other ? -1 : 1
}

class Surface {
  readonly parts: Part[] = []
  readonly #checker: ts.TypeChecker
  readonly #folder: string
  readonly #visited = new Set<ts.Symbol>()

  constructor(checker: ts.TypeChecker, folder: string) {
    this.#checker = checker
    this.#folder = folder
  }

  /** Adds a symbol and everything that its type names. */
  visit(named: ts.Symbol): void {
    const symbol = this.#resolved(named)
    if (this.#visited.has(symbol) || symbol.flags & ts.SymbolFlags.TypeParameter) return
    this.#visited.add(symbol)
    for (const node of symbol.declarations ?? []) if (this.#isOurs(node)) this.#add(node, symbol.name)
  }

  #isOurs(node: ts.Node): boolean {
    const file = path.relative(this.#folder, node.getSourceFile().fileName)
    return !file.startsWith('..') && !file.includes('node_modules')
  }

  #add(node: ts.Node, name: string, owner?: Part): void {
    if (isHidden(node)) return
    const part: Part = {
      name: owner ? `${owner.name}.${name}` : name,
      node,
      isCalled: ts.isFunctionLike(node) || ts.isFunctionLike(valueOf(node)),
      isOptional: ts.isPropertySignature(node) && node.questionToken !== undefined,
      owner,
    }
    this.parts.push(part)
    this.#addProperties(node, part)
    this.#addMembers(node, part)
  }

  /** Adds the members of a declaration or a type, and visits the types that it names. */
  #addMembers(node: ts.Node, owner: Part): void {
    const name = nameIn(node)
    const symbol = name && this.#checker.getSymbolAtLocation(name)
    if (symbol) this.visit(symbol)
    node.forEachChild((child) => {
      if (ts.isBlock(child) || ('initializer' in node && node.initializer === child)) return
      if (isMember(child)) this.#add(child, child.name?.getText() ?? 'constructor', owner)
      else this.#addMembers(child, owner)
    })
  }

  /** Adds the properties of a constant table, also those of tables that it spreads. */
  #addProperties(node: ts.Node, owner: Part): void {
    const value = valueOf(node)
    if (!value || !ts.isObjectLiteralExpression(value)) return
    for (const property of value.properties) {
      if (ts.isPropertyAssignment(property)) this.#add(property, property.name.getText(), owner)
      else if (ts.isSpreadAssignment(property)) {
        const spread = this.#declarationOf(property.expression)
        if (spread) this.#addProperties(spread, owner)
      }
    }
  }

  #declarationOf(name: ts.Node): ts.Declaration | undefined {
    const symbol = this.#checker.getSymbolAtLocation(name)
    return symbol && this.#resolved(symbol).valueDeclaration
  }

  #resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }
}

/** Returns the value of a constant, without `as const` and `satisfies`. */
function valueOf(node: ts.Node): ts.Node | undefined {
  let value: ts.Node | undefined = ts.isVariableDeclaration(node) ? node.initializer : undefined
  while (value && (ts.isAsExpression(value) || ts.isSatisfiesExpression(value))) value = value.expression
  return value
}

/** Returns the name of the type that a type refers to. */
function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined
}

function isMember(node: ts.Node): node is ts.TypeElement | ts.ClassElement {
  if (ts.isConstructorDeclaration(node)) return true
  return (ts.isTypeElement(node) || ts.isClassElement(node)) && node.name !== undefined
}

function isHidden(node: ts.Node): boolean {
  const isPrivate = ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)
  return isPrivate || ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')
}
