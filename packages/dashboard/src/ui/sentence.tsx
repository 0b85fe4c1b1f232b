/** Part of a sentence: words, or the name of a variable. */
export type Part = string | { readonly name: string }

interface SentenceProps {
  readonly parts: readonly Part[]
}

/** Shows a sentence with names of variables. */
export function Sentence({ parts }: SentenceProps) {
  return parts.map((part, at) =>
    typeof part === 'string' ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- The parts of a sentence never change places.
      <bdi key={at}>
        <code>{part.name}</code>
      </bdi>
    ),
  )
}
