import type { ReactNode } from 'react'
import { useHint } from './use-hint.ts'
import { CellHint } from './cell-hint.tsx'

interface CellHintsProps {
  readonly projectSlug: string
  readonly children: ReactNode
}

/** What a cell of the table attaches to itself to have a hint. Slugs have no slash. */
export function hintOf(stageSlug: string, name: string): string {
  return `${stageSlug}/${name}`
}

/** One hint for all cells, of which there may be hundreds: that of the one that the mouse or the keyboard rests on. */
export function CellHints({ projectSlug, children }: CellHintsProps) {
  const { element, handlers } = useHint()
  const [stageSlug = '', ...name] = element?.dataset['hint']?.split('/') ?? []
  return (
    <div {...handlers}>
      {children}
      {element && <CellHint element={element} place={{ projectSlug, stageSlug }} name={name.join('/')} />}
    </div>
  )
}
