/** The cells of the table: a variable in a stage. */
import type { Target } from '../editor/use-open-variable.ts'

export type CellTarget = Required<Target>

export type CellAction = 'open' | 'reveal' | 'copy' | 'edit' | 'toggle'

/** What a cell of the table attaches to itself to be found. Slugs have no slash. */
export function hintOf(stageSlug: string, name: string): string {
  return `${stageSlug}/${name}`
}

/** Returns the part of a cell that has the focus, where something in the table is part of a cell. */
export function elementOf(target: EventTarget): HTMLElement | null {
  const cell = target instanceof Element ? target.closest('[role=gridcell]') : null
  return cell?.querySelector<HTMLElement>('[data-hint]') ?? null
}

/** Returns the cell that something in the table is part of. */
export function cellOf(target: EventTarget): CellTarget | undefined {
  const hint = elementOf(target)?.dataset['hint']
  if (hint === undefined) return undefined
  const [stageSlug = '', ...name] = hint.split('/')
  return { stageSlug, name: name.join('/') }
}
