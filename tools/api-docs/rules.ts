/** What docs/style.md asks of the documentation of the public API. */
import ts from 'typescript-5'
import type { Part } from './surface.ts'

interface Rule {
  /** What a part lacks that breaks the rule. */
  readonly lacks: string
  readonly appliesTo: (part: Part) => boolean
  readonly isSatisfied: (part: Part) => boolean
}

const units = { Ms: 'milliseconds', Sec: 'seconds', Days: 'days', Bytes: 'bytes', Characters: 'characters' }

const rules: readonly Rule[] = [
  {
    lacks: '@example, and so does what contains it',
    appliesTo: ({ isCalled }) => isCalled,
    isSatisfied: hasExample,
  },
  {
    lacks: '@throws (or the words "Never throws")',
    appliesTo: ({ isCalled }) => isCalled,
    isSatisfied: ({ node }) => hasTag(node, 'throws') || /\bNever throws\b/.test(commentOf(node)),
  },
  {
    lacks: '@default (or the word "absent" and what that means)',
    appliesTo: ({ isOptional }) => isOptional,
    isSatisfied: ({ node }) => hasTag(node, 'default') || /\babsent\b/i.test(commentOf(node)),
  },
  ...Object.entries(units).map(([suffix, unit]) => ({
    lacks: `its unit (${unit})`,
    appliesTo: ({ name, isCalled }: Part) => !isCalled && name.endsWith(suffix),
    isSatisfied: ({ node }: Part) => commentOf(node).includes(unit),
  })),
]

/** Returns what the documentation of a part lacks. */
export function gapsOf(part: Part): readonly string[] {
  if (commentOf(part.node) === '') return ['a comment']
  return rules
    .filter(({ appliesTo: concerns, isSatisfied: isKept }) => concerns(part) && !isKept(part))
    .map(({ lacks }) => lacks)
}

/** Returns the comments of a node, without line breaks. */
function commentOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).map((comment) => comment.getText())
  return comments.join(' ').replaceAll(/\s*\n\s*\*\s*/g, ' ')
}

function hasTag(node: ts.Node, name: string): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === name)
}

/** Returns whether a part has an example, or is a part of something that has one. */
function hasExample({ node, owner }: Part): boolean {
  return hasTag(node, 'example') || (owner !== undefined && hasExample(owner))
}
