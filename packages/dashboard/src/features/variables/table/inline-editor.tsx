import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { WriteEntry } from '@rollkey/contract'
import { valueProblem } from '../editor/draft.ts'
import { labels } from './labels.ts'
import classes from './variables-grid.module.css'

interface InlineEditorProps {
  /** Which variable in which stage. */
  readonly label: string
  readonly entry: Extract<WriteEntry, { kind: 'secret' }>
  /** Without a value, nothing is saved. */
  readonly onDone: (value?: string) => void
}

/** Edits a plain value in its cell: Enter saves, Escape discards. */
export function InlineEditor({ label, entry: { value, declaredType }, onDone }: InlineEditorProps) {
  const id = useId()
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const problem = text === value ? null : valueProblem(declaredType ?? '', text, false)
  const onKeyDown = (event: KeyboardEvent): void => {
    // The keys of the table are letters here.
    event.stopPropagation()
    if (event.key === 'Escape') onDone()
    if (event.key === 'Enter' && problem === null) onDone(text === value ? undefined : text)
  }
  return (
    <>
      <input
        ref={input}
        className={classes['input']}
        aria-label={labels.newValue(label)}
        aria-invalid={problem !== null}
        aria-describedby={id}
        inputMode={declaredType === 'int64' || declaredType === 'float' ? 'decimal' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => text === value && onDone()}
      />
      <span id={id} role="status" className={problem === null ? classes['hint'] : classes['problem']}>
        {problem ?? labels.editKeys}
      </span>
    </>
  )
}
