/** References within a JSON document, such as `#/components/schemas/Labels` (RFC 6901). */

type Json = Readonly<Record<string, unknown>>

/** Returns to what a reference leads, or undefined if nothing is there. */
export function resolve(document: unknown, reference: string): unknown {
  const [hash, ...steps] = reference.split('/')
  if (hash !== '#') return undefined
  const keys = steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return keys.reduce<unknown>((node, key) => (node as Json | undefined)?.[key], document)
}

/** Returns the document with what they lead to in place of its references. Equal references become the same object. */
export function withoutReferences(document: unknown): unknown {
  const known = new Map<string, unknown>()
  const target = (reference: string): unknown => {
    if (!known.has(reference)) known.set(reference, copy(resolve(document, reference)))
    return known.get(reference)
  }
  const copy = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copy)
    if (typeof node !== 'object' || node === null) return node
    const { $ref, ...members } = node as Json
    const entries = Object.entries(members).map(([name, value]) => [name, copy(value)])
    if (typeof $ref !== 'string') return Object.fromEntries(entries)
    return entries.length === 0 ? target($ref) : { ...(target($ref) as Json), ...Object.fromEntries(entries) }
  }
  return copy(document)
}
