// Finds texts of the web application that stand outside the catalogs of its features, `labels.ts`.
import ts from 'typescript-5'

/** The web application without catalogs, tests and declarations. */
export const hasCatalog = /(?:^|\/)packages\/dashboard\/src\/(?!.*(?:\/labels|\.test|\.d)\.tsx?$).*\.tsx?$/
/** Attributes and properties that people read or hear. */
const shown = /^(?:alt|aria-(?:description|label|roledescription)|description|heading|label|placeholder|title)$/
/** Attributes and properties that people do not. */
const hidden = /^(?:aria-(?:describedby|labelledby)|autoComplete|className|fontFamily(?:Monospace)?|id|keys?|viewBox)$/
const letter = /\p{L}/u
/** Several words, or the beginning of a sentence. */
const prose = /\p{L}[,.:;]? [\p{L}\uFFFC]|\uFFFC[,.:;]? \p{L}|^\p{Lu}\p{Ll}.*[.!?…]$/u
/** Style sheets, selectors, commands and programs. */
const code = /[()[\]{}<>=;]|[\d\uFFFC]px\b|\.mjs\b|\?\?|\bcurl\b|^a, |--\w/

/** Returns the texts outside catalogs in the source text of a file, with their lines. */
export function textsOutsideCatalog(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const found = []
  const visit = (node) => {
    if (isVisible(node)) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1
      found.push({ line, text: node.getText().trim() })
    } else ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function isVisible(node) {
  if (ts.isJsxText(node)) return letter.test(node.text)
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false
  const text = textOf(node)
  const use = useOf(node)
  if (use === 'shown') return letter.test(text)
  return use === 'unknown' && prose.test(text) && !code.test(text)
}

/** Returns the text of a string, with an object replacement character for each value in a template. */
function textOf(node) {
  if (!ts.isTemplateExpression(node)) return node.text
  return node.head.text + node.templateSpans.map(({ literal }) => `\uFFFC${literal.text}`).join('')
}

/** Returns whether an expression is shown, hidden, or may be either. */
function useOf(node) {
  const { parent } = node
  if (ts.isConditionalExpression(parent) && parent.condition !== node) return useOf(parent)
  if (ts.isParenthesizedExpression(parent)) return useOf(parent)
  if (ts.isBinaryExpression(parent) && parent.right === node && isChoice(parent)) return useOf(parent)
  if (ts.isJsxExpression(parent))
    return ts.isJsxAttribute(parent.parent) ? useByName(parent.parent.name.getText()) : 'shown'
  if (ts.isJsxAttribute(parent)) return useByName(parent.name.getText())
  if (ts.isPropertyAssignment(parent) && parent.initializer === node) {
    const owner = parent.parent.parent
    const styles = ts.isPropertyAssignment(owner) && owner.name.getText() === 'classNames'
    return styles ? 'hidden' : useByName(parent.name.getText().replaceAll("'", ''))
  }
  if (ts.isPropertyAssignment(parent) || ts.isImportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return 'hidden'
  // People read the messages of a PageError, and see other errors by their codes.
  if (ts.isNewExpression(parent) && /^(?:Rollkey)?Error$/.test(parent.expression.getText())) return 'hidden'
  if (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.SuperKeyword) return 'hidden'
  return 'unknown'
}

function isChoice({ operatorToken: { kind } }) {
  const { AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken } = ts.SyntaxKind
  return [AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken].includes(kind)
}

function useByName(name) {
  if (shown.test(name)) return 'shown'
  return hidden.test(name) ? 'hidden' : 'unknown'
}
