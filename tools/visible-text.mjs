// Finds texts that people read in code of the web application outside its catalogs (`labels.ts`).
import ts from 'typescript-5'

const isCatalog = /(?:^|\/)labels\.ts$/
/** Attributes and properties that are read out or shown, whatever their text looks like. */
const shown = /^(?:label|title|placeholder|description|heading|alt|aria-label|aria-description|aria-roledescription)$/
/** A capitalized word, or several words. */
const prose = /^\p{Lu}\p{Ll}+(?:$|[ .,:?!…])|\p{L}[,.:]? \p{L}/u
const letter = /\p{L}/u
/** Attributes and properties whose texts look like words but are code. */
const code = /^(?:class(?:Name|Names)?|style|styles|d|key|on[A-Z].*|path|points|sizes|transform|viewBox|mediaQuery)$/

/** Returns the texts of a file of `packages/dashboard/src` that belong in a catalog, with their lines. */
export function textsOutsideCatalogs(file, text) {
  if (isCatalog.test(file)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = []
  const visit = (node) => {
    if (ts.isJsxText(node) ? letter.test(node.text) : isText(node) && isVisible(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push({ line: line + 1, text: node.getText().replaceAll(/\s+/g, ' ').trim() })
      return
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isText(node) {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)
}

function wordsOf(node) {
  return ts.isTemplateExpression(node)
    ? node.head.text + node.templateSpans.map(({ literal }) => `\u0000${literal.text}`).join('')
    : node.text
}

function isVisible(node) {
  const words = wordsOf(node)
  const { parent } = node
  if (ts.isImportDeclaration(parent) || ts.isLiteralTypeNode(parent) || ts.isExternalModuleReference(parent))
    return false
  const name = nameOf(parent)
  if (name !== undefined && shown.test(name)) return letter.test(words)
  return prose.test(words)
}

/** Returns the attribute or property whose value a node is. */
function nameOf(parent) {
  const holder = ts.isJsxExpression(parent) ? parent.parent : parent
  if (ts.isJsxAttribute(holder)) return holder.name.getText()
  if (ts.isPropertyAssignment(holder)) return holder.name.getText().replaceAll("'", '')
  return undefined
}
